#version 450 core
// One ray per pixel: a work group draws a tile of 8 x 8 pixels of one view, and every pixel writes its place in
// the packed images. Linked with raycast_trace.comp and, with SURFACE, raycast_shade.comp.
layout(local_size_x = 8, local_size_y = 8) in;

#include "hit.glsl"

layout(location = 0) uniform uint first_view;

// place: of the view among the images; scene: its first node, triangle, surface and material.
struct View {
    vec3 right; float pixel;
    vec3 down; uint place;
    vec3 first; float unused;
    vec3 position; float unused2;
    vec3 back; float unused3;
    uvec4 scene;
};

layout(std430, binding = 0) readonly buffer Views { View views[]; };
#ifdef DEPTH32
layout(std430, binding = 5) writeonly buffer Depths { float depths[]; };
#endif
#ifdef IDS
layout(std430, binding = 6) writeonly buffer Ids { int ids[]; };
#endif
#ifdef NORMALS
layout(std430, binding = 7) writeonly buffer Normals { float normals[]; };
#endif
#ifdef RGB
layout(r8ui, binding = 0) writeonly uniform uimageBuffer colors;
#endif
#ifdef DEPTH16
layout(r16f, binding = 1) writeonly uniform imageBuffer half_depths;
#endif

const int MAX_HOLES = 64;
const float BEHIND = 1.0 + 1.0 / 1048576.0;

Hit trace(vec3 origin, vec3 direction, uvec4 scene, float near, float far);
#ifdef SURFACE
vec4 surface_color(Hit hit, vec3 direction, vec3 right, vec3 down, uvec4 scene, uint material);
float alpha_cutoff(uint material);
#endif

uint material_of(Hit hit, uvec4 scene) {
    return scene.w + corners[3u * (scene.y + hit.triangle)].w;
}

// The nearest hit that is no hole, and its colour. What a NaN is compared with counts as solid.
Hit first_solid(vec3 origin, vec3 direction, View view, inout vec4 color) {
    float begin = NEAR;
    for (int holes = 0; ; ++holes) {
        Hit hit = trace(origin, direction, view.scene, begin, FARTHEST);
        if (hit.triangle == MISS) {
            return hit;
        }
#ifdef SURFACE
        uint material = material_of(hit, view.scene);
        float cutoff = alpha_cutoff(material);
#ifndef RGB
        if (!(cutoff > 0.0)) {
            return hit;
        }
#endif
        color = surface_color(hit, direction, view.right, view.down, view.scene, material);
#endif
#ifdef HOLES
        if (cutoff > 0.0 && color.a < cutoff && holes < MAX_HOLES) {
            begin = hit.t * BEHIND;
            continue;
        }
#endif
        return hit;
    }
}

#ifdef RGB
// The sRGB byte of light (IEC 61966-2-1); what is outside [0, 1] is clipped.
uint encoded(float light) {
    float within = light > 0.0 ? min(light, 1.0) : 0.0;  // compared so that NaN becomes black
    float code = within <= 0.0031308 ? 12.92 * within : 1.055 * pow(within, 1.0 / 2.4) - 0.055;
    return uint(code * 255.0 + 0.5);
}
#endif

// Scaled before it is normalised, for the normal of a tiny triangle is too short to be squared.
vec3 unit(vec3 vector) {
    return normalize(vector / max(max(abs(vector.x), abs(vector.y)), abs(vector.z)));
}

void main() {
    uvec2 pixel = gl_GlobalInvocationID.xy;
    if (pixel.x >= WIDTH || pixel.y >= HEIGHT) {
        return;
    }
    View view = views[first_view + gl_WorkGroupID.z];
    vec3 origin = view.position;
    vec3 direction = view.first + float(pixel.x) * view.right + float(pixel.y) * view.down;
    uint place = (view.place * HEIGHT + pixel.y) * WIDTH + pixel.x;
    vec4 color = vec4(0.0);
    Hit hit = first_solid(origin, direction, view, color);
    bool found = hit.triangle != MISS;
#ifdef DEPTH32
    depths[place] = min(hit.t, FAR);
#endif
#ifdef DEPTH16
    imageStore(half_depths, int(place), vec4(min(hit.t, FAR)));
#endif
#ifdef IDS
    ids[place] = found ? int(corners[3u * (view.scene.y + hit.triangle) + 1u].w) : -1;
#endif
#if defined(NORMALS) || defined(HEADLIGHT)
    vec3 normal = dot(hit.normal, direction) > 0.0 ? -hit.normal : hit.normal;
#endif
#ifdef NORMALS
    vec3 seen = vec3(0.0);
    if (found) {
        seen = unit(vec3(dot(normal, view.right), -dot(normal, view.down), view.pixel * dot(normal, view.back)));
    }
    normals[3u * place] = seen.x;
    normals[3u * place + 1u] = seen.y;
    normals[3u * place + 2u] = seen.z;
#endif
#ifdef RGB
    uvec3 bytes = uvec3(0u);
    if (found) {
        vec3 light = color.rgb;
#ifdef HEADLIGHT
        light *= 0.3 + 0.7 * abs(dot(unit(normal), normalize(direction)));
#endif
        bytes = uvec3(encoded(light.r), encoded(light.g), encoded(light.b));
    }
    int first = 3 * int(place);
    imageStore(colors, first, uvec4(bytes.x));
    imageStore(colors, first + 1, uvec4(bytes.y));
    imageStore(colors, first + 2, uvec4(bytes.z));
#endif
}
