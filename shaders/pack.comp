#version 450 core
// Writes the images of a batch into a buffer that holds (views, height, width, channels) without gaps, in the
// final type: DEPTH (as float16 with HALF), COLOR, IDS or NORMALS.
layout(local_size_x = 64) in;

layout(location = 0) uniform uint num_pixels;
layout(std430, binding = 9) writeonly buffer Words { uint words[]; };

#ifdef DEPTH
layout(binding = 1) uniform sampler2DArray depths;
#endif
#ifdef COLOR
layout(binding = 3) uniform usampler2DArray colors;
#endif
#if defined(IDS) || defined(NORMALS)
layout(binding = 4) uniform isampler2DArray numbers;
#endif
#ifdef IDS
layout(std430, binding = 1) readonly buffer Objects { int objects[]; };
#endif
#ifdef NORMALS
#include "view.glsl"
#include "triangle.glsl"
#endif

ivec3 texel_of(uint pixel) {
    return ivec3(pixel % WIDTH, pixel / WIDTH % HEIGHT, pixel / (WIDTH * HEIGHT));
}

#ifdef DEPTH
// Planar metres from near / metres, which is 0 where nothing is.
float metres(uint pixel) {
    float depth = pixel < num_pixels ? texelFetch(depths, texel_of(pixel), 0).r : 0.0;
    return depth > 0.0 ? min(NEAR / depth, FAR) : FAR;
}
#endif

#ifdef COLOR
uvec3 color_of(uint pixel) {
    return pixel < num_pixels ? texelFetch(colors, texel_of(pixel), 0).rgb : uvec3(0u);
}

// Four of the bytes of two neighbouring pixels.
uint four_bytes(uint place) {
    uint first = 4u * place;
    uvec3 left = color_of(first / 3u);
    uvec3 right = color_of(first / 3u + 1u);
    uint bytes[6] = uint[6](left.r, left.g, left.b, right.r, right.g, right.b);
    uint skip = first % 3u;
    return bytes[skip] | bytes[skip + 1u] << 8 | bytes[skip + 2u] << 16 | bytes[skip + 3u] << 24;
}
#endif

void main() {
    uint place = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * 64u + gl_LocalInvocationID.x;
#ifdef COLOR
    if (4u * place < 3u * num_pixels) {
        words[place] = four_bytes(place);
    }
#elif defined(HALF)
    if (2u * place < num_pixels) {
        words[place] = packHalf2x16(vec2(metres(2u * place), metres(2u * place + 1u)));
    }
#elif defined(DEPTH)
    if (place < num_pixels) {
        words[place] = floatBitsToUint(metres(place));
    }
#else
    if (place >= num_pixels) {
        return;
    }
    ivec3 texel = texel_of(place);
    int number = texelFetch(numbers, texel, 0).r;
#ifdef IDS
    words[place] = uint(number < 0 ? -1 : objects[number]);
#else
    vec3 normal = number < 0 ? vec3(0.0) : seen_normal(views[texel.z], uint(number));
    for (uint axis = 0u; axis < 3u; ++axis) {
        words[3u * place + axis] = floatBitsToUint(normal[axis]);
    }
#endif
#endif
}
