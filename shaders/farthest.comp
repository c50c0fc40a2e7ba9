#version 450 core
// One level of the depth pyramid: the least depth (the farthest place) of 2 x 2 texels of the level below. What
// lies outside the image hides nothing and is not asked for.
layout(local_size_x = 8, local_size_y = 8) in;

layout(binding = SOURCE) uniform sampler2DArray below;
layout(binding = 0, r32f) writeonly uniform image2DArray above;
layout(location = 0) uniform int level_below;

float depth_at(ivec2 place, int layer) {
    bool inside = all(lessThan(place, textureSize(below, level_below).xy));
    return inside ? texelFetch(below, ivec3(place, layer), level_below).r : 1e30;
}

void main() {
    ivec3 place = ivec3(gl_GlobalInvocationID);
    if (any(greaterThanEqual(place.xy, imageSize(above).xy))) {
        return;
    }
    ivec2 corner = 2 * place.xy;
    float least = min(min(depth_at(corner, place.z), depth_at(corner + ivec2(1, 0), place.z)),
                      min(depth_at(corner + ivec2(0, 1), place.z), depth_at(corner + ivec2(1, 1), place.z)));
    imageStore(above, place, vec4(least));
}
