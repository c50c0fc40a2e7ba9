#version 450 core
// Unlit colour: texture times vertex colour (the material's factor is already in it), linear; the target encodes.
#ifdef SURFACE
in Surface {
    vec4 color;
    vec2 uv;
    flat float texture_layer;
    flat float alpha_cutoff;
} surface;
#endif
#ifdef TEXTURED
layout(binding = 0) uniform sampler2DArray images;
#endif
#ifdef RGB
layout(location = 0) out vec4 pixel;
#endif

void main() {
#ifdef SURFACE
    vec4 color = surface.color;
#ifdef TEXTURED
    color *= texture(images, vec3(surface.uv, surface.texture_layer));
#endif
#ifdef CUTOUT
    if (color.a < surface.alpha_cutoff) {
        discard;
    }
#endif
#ifdef RGB
    pixel = vec4(color.rgb, 1.0);
#endif
#endif
}
