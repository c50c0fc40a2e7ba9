#version 450 core
// Transforms a vertex for the view of its instance. The clip depth is the constant near distance (reversed Z).
#ifdef LAYER_IN_VERTEX
#extension GL_ARB_shader_viewport_layer_array : require
#endif

layout(location = 0) in vec3 position;
layout(location = 1) in vec4 clip_x;
layout(location = 2) in vec4 clip_y;
layout(location = 3) in vec4 clip_w;
layout(location = 4) in uint layer;
#ifdef SURFACE
layout(location = 5) in vec2 uv;
layout(location = 6) in vec4 color;
layout(location = 7) in uint info;

out Surface {
    vec4 color;
    vec2 uv;
    flat float texture_layer;
    flat float alpha_cutoff;
} surface;
#endif
#ifndef LAYER_IN_VERTEX
out Target { flat int layer; } target;
#endif

void main() {
    vec4 point = vec4(position, 1.0);
    gl_Position = vec4(dot(clip_x, point), dot(clip_y, point), NEAR, dot(clip_w, point));
#ifdef SURFACE
    surface.color = color;
    surface.uv = uv;
    surface.texture_layer = float(info & 0xFFFu);
    surface.alpha_cutoff = float(info >> 12) / 1048575.0;
#endif
#ifdef LAYER_IN_VERTEX
    gl_Layer = int(layer);
#else
    target.layer = int(layer);
#endif
}
