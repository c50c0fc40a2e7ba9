#version 450 core
// Transforms a vertex for the view of its instance. The clip depth is the constant near distance (reversed Z).
#ifdef LAYER_IN_VERTEX
#extension GL_ARB_shader_viewport_layer_array : require
#endif
#ifdef NUMBERED
#extension GL_ARB_shader_draw_parameters : require
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
    flat uint info;
} surface;
#endif
#ifdef NUMBERED
struct Command { uint index_count; uint instance_count; uint first_index; int base_vertex; uint base_instance; };

layout(std430, binding = 3) readonly buffer Commands { Command commands[]; };
layout(location = 0) uniform uint first_command;

out Run { flat uint first_triangle; } run;
#endif
#ifndef LAYER_IN_VERTEX
out Target { flat int layer; } target;
#endif
invariant gl_Position;

void main() {
    vec4 point = vec4(position, 1.0);
    gl_Position = vec4(dot(clip_x, point), dot(clip_y, point), NEAR, dot(clip_w, point));
#ifdef SURFACE
    surface.color = color;
    surface.uv = uv;
    surface.info = info;
#endif
#ifdef NUMBERED
    run.first_triangle = commands[first_command + uint(gl_DrawIDARB)].first_index / 3u;
#endif
#ifdef LAYER_IN_VERTEX
    gl_Layer = int(layer);
#else
    target.layer = int(layer);
#endif
}
