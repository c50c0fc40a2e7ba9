// Whether the depths drawn so far hide a box; after view.glsl. Reversed Z: near / distance, 0 where nothing is.
layout(binding = 1) uniform sampler2DArray depths;
layout(binding = 2) uniform sampler2DArray farthest;  // level l: least depth of squares of 2^(l+1) pixels

// True only if each pixel that a triangle inside the box could touch shows something clearly nearer. The margins,
// 1/64 pixel and a thousandth of the depth, exceed what a rasteriser rounds.
bool is_hidden(View view, vec3 center, vec3 extent) {
    vec2 low = vec2(1e30);
    vec2 high = vec2(-1e30);
    float nearest = 1e30;
    for (uint corner = 0u; corner < 8u; ++corner) {
        vec3 signs = vec3(corner & 1u, corner >> 1 & 1u, corner >> 2) * 2.0 - 1.0;
        vec4 point = vec4(center + signs * extent, 1.0);
        float distance = dot(view.clip_w, point);
        vec2 place = vec2(dot(view.clip_x, point), dot(view.clip_y, point)) / distance;
        low = min(low, place);
        high = max(high, place);
        nearest = min(nearest, distance);
    }
    if (!(nearest > NEAR)) {
        return false;
    }
    vec2 size = vec2(WIDTH, HEIGHT);
    ivec2 last = ivec2(size) - 1;
    ivec2 from = clamp(ivec2(floor((low * 0.5 + 0.5) * size - 1.0 / 64.0)), ivec2(0), last);
    ivec2 to = clamp(ivec2(floor((high * 0.5 + 0.5) * size + 1.0 / 64.0)), ivec2(0), last);
    int level = max(0, findMSB(max(max(to.x - from.x, to.y - from.y) >> 1, 1)));  // at most 5 texels a side
    from >>= level;
    to >>= level;
    float least = 1e30;
    for (int y = from.y; y <= to.y; ++y) {
        for (int x = from.x; x <= to.x; ++x) {
            ivec3 texel = ivec3(x, y, int(view.layer));
            least = min(least, level == 0 ? texelFetch(depths, texel, 0).r : texelFetch(farthest, texel, level - 1).r);
        }
    }
    return NEAR / nearest * 1.001 < least;
}
