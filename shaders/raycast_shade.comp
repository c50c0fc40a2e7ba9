#version 450 core
// Linear colour and alpha of a hit: trilinear mipmapped texture times factor times vertex colour.

#include "hit.glsl"

// image: layer, texture unit (beyond UNITS for none), wrap modes along u and, shifted by 2, v, number of mipmaps.
struct Material { vec4 factor; uvec4 image; float cutoff; };

layout(std430, binding = 3) readonly buffer Surfaces { uint surfaces[]; };
layout(std430, binding = 4) readonly buffer Materials { Material materials[]; };
layout(binding = 0) uniform sampler2DArray images[UNITS];

const uint REPEAT = 0u, MIRROR = 2u;  // and 1 clamps
const float FARTHEST_UV = 1048576.0, MOST_AREA = 1073741824.0;

float alpha_cutoff(uint material) {
    return materials[material].cutoff;
}

// A coordinate beyond which float32 tells no texels apart is cut; NaN becomes 0.
float bounded(float coordinate) {
    if (isnan(coordinate)) {
        return 0.0;
    }
    return clamp(coordinate, -FARTHEST_UV, FARTHEST_UV);
}

// Clamping and mirroring for samplers that repeat: the last half texel is never left.
float wrapped(float coordinate, uint mode, float size) {
    if (mode == MIRROR) {
        float within = coordinate - 2.0 * floor(0.5 * coordinate);
        coordinate = min(within, 2.0 - within);
    }
    return mode == REPEAT ? coordinate : clamp(coordinate, 0.5 / size, 1.0 - 0.5 / size);
}

// Sampler arrays take constants only where neighbours may differ; FETCHES names FETCH for each of them.
#define FETCH(unit) case unit: return textureLod(images[unit], place, lod);
vec4 fetched(int unit, vec3 place, float lod) {
    switch (unit) {
        FETCHES
    }
    return vec4(1.0);
}

vec4 mipmap(uvec4 image, vec2 uv, int level) {
    float size = float((1u << image.w - 1u) >> level);
    vec2 place = vec2(wrapped(uv.x, image.z & 3u, size), wrapped(uv.y, image.z >> 2, size));
    return fetched(int(image.y), vec3(place, float(image.x)), float(level));
}

// The square of the longer side of a pixel in texels decides the mipmap; the blend is its base 4 logarithm,
// straight between the powers of two.
vec4 trilinear(uvec4 image, vec2 uv, float area) {
    int level = 0, last = int(image.w) - 1;
    while (area >= 4.0 && level < last) {
        ++level;
        area *= 0.25;
    }
    bool one = area <= 1.0 || level == last;
    float blend = one ? 0.0 : area < 2.0 ? 0.5 * (area - 1.0) : 0.25 * area;
    // A loop, for each place in the code that reads texels is a branch for every sampler.
    vec4 color = vec4(0.0);
    for (int other = 0; other <= (one ? 0 : 1); ++other) {
        color += (other == 0 ? 1.0 - blend : blend) * mipmap(image, uv, level + other);
    }
    return color;
}

// The hit P = t D moves by t (D_x - D (n . D_x) / (n . D)) when the direction D moves by D_x to the next pixel,
// for it stays in the plane with the normal n (Igehy, "Tracing ray differentials", 1999).
float pixel_area(Hit hit, vec3 direction, vec3 right, vec3 down, mat2x3 gradient, float size) {
    vec3 slide_right = right - direction * (dot(hit.normal, right) / dot(hit.normal, direction));
    vec3 slide_down = down - direction * (dot(hit.normal, down) / dot(hit.normal, direction));
    vec2 across = hit.t * size * (slide_right * gradient), along = hit.t * size * (slide_down * gradient);
    float longest = max(dot(across, across), dot(along, along));
    // Infinite or NaN where a ray runs along its triangle.
    return longest < MOST_AREA ? longest : MOST_AREA;
}

vec2 texture_place(uint first, uint corner) {
    return uintBitsToFloat(uvec2(surfaces[first + 2u * corner], surfaces[first + 2u * corner + 1u]));
}

vec4 vertex_color(uint first, uint corner) {
    return unpackUnorm4x8(surfaces[first + 6u + corner]);
}

vec4 surface_color(Hit hit, vec3 direction, vec3 right, vec3 down, uvec4 scene, uint number) {
    Material material = materials[number];
    uint first = 9u * (scene.z + hit.triangle), corner = 3u * (scene.y + hit.triangle);
    vec4 color = material.factor * ((1.0 - hit.u - hit.v) * vertex_color(first, 0u)
                                    + hit.u * vertex_color(first, 1u) + hit.v * vertex_color(first, 2u));
    if (material.image.y >= UNITS) {
        return color;
    }
    vec3 a = uintBitsToFloat(corners[corner].xyz);
    vec3 second = uintBitsToFloat(corners[corner + 1u].xyz) - a;
    vec3 third = uintBitsToFloat(corners[corner + 2u].xyz) - a;
    vec2 origin = texture_place(first, 0u);
    vec2 to_second = texture_place(first, 1u) - origin, to_third = texture_place(first, 2u) - origin;
    vec3 slope_second = cross(third, hit.normal), slope_third = cross(hit.normal, second);
    float area = max(dot(hit.normal, hit.normal), 1e-30);
    mat2x3 gradient = mat2x3((to_second.x * slope_second + to_third.x * slope_third) / area,
                             (to_second.y * slope_second + to_third.y * slope_third) / area);
    vec2 uv = origin + hit.u * to_second + hit.v * to_third;
    float texels = pixel_area(hit, direction, right, down, gradient, float(1u << material.image.w - 1u));
    return color * trilinear(material.image, vec2(bounded(uv.x), bounded(uv.y)), texels);
}
