#version 450 core
// Colour: texture times vertex colour (the material's factor is already in it), linear; the target encodes.
// "info" holds the texture's layer (11 bits), its wrap modes along u and v (2 each) and the alpha cut-off (17).
#ifdef SURFACE
in Surface {
    vec4 color;
    vec2 uv;
    flat uint info;
} surface;
#endif
#ifdef TEXTURED
layout(binding = 0) uniform sampler2DArray images;
#endif
#ifdef NUMBERED
in Run { flat uint first_triangle; } run;
#endif
#ifdef HEADLIGHT
#include "view.glsl"
#include "triangle.glsl"
#endif
#ifdef RGB
layout(location = 0) out vec4 pixel;
#endif
#ifdef TRIANGLES
layout(location = TRIANGLE_TARGET) out int number;
#endif

#ifdef TEXTURED
// A coordinate that the repeating sampler reads as mode 1 (clamp) or 2 (mirror) wants it: brought into [0, 1]
// and kept half a texel of the coarser mipmap in use from the border, where the sampler would mix both ends.
float wrapped(float place, uint mode, float margin) {
    float inside = mode == 1u ? clamp(place, 0.0, 1.0) : 1.0 - abs(mod(place, 2.0) - 1.0);
    return mode == 0u ? place : clamp(inside, margin, 1.0 - margin);
}

vec4 texel() {
    vec2 uv = surface.uv;
    uint modes = surface.info >> 11 & 15u;
    vec2 across = dFdx(uv);
    vec2 down = dFdy(uv);
    float half_texel = 0.5 / float(textureSize(images, 0).x);
    float margin = clamp(sqrt(max(dot(across, across), dot(down, down))), half_texel, 0.5);
    vec2 place = vec2(wrapped(uv.x, modes & 3u, margin), wrapped(uv.y, modes >> 2, margin));
    return texture(images, vec3(place, float(surface.info & 2047u)));
}
#endif

void main() {
#ifdef SURFACE
    vec4 color = surface.color;
#ifdef TEXTURED
    color *= texel();
#endif
#ifdef CUTOUT
    if (color.a < float(surface.info >> 15) / 131071.0) {
        discard;
    }
#endif
#endif
#ifdef NUMBERED
    uint triangle = run.first_triangle + uint(gl_PrimitiveID);
#endif
#ifdef HEADLIGHT
    View view = views[gl_Layer];
    vec2 place = gl_FragCoord.xy * vec2(2.0 / WIDTH, 2.0 / HEIGHT) - 1.0;
    vec3 ray = normalize(vec3(place.x * view.slope_x, -place.y * view.slope_y, -1.0));
    color.rgb *= 0.3 + 0.7 * abs(dot(seen_normal(view, triangle), ray));
#endif
#ifdef RGB
    pixel = vec4(color.rgb, 1.0);
#endif
#ifdef TRIANGLES
    number = int(triangle);
#endif
}
