#version 450 core
// Chooses the layer where the vertex shader cannot.
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;

in Target { flat int layer; } target[];
#ifdef SURFACE
in Surface {
    vec4 color;
    vec2 uv;
    flat float texture_layer;
    flat float alpha_cutoff;
} vertex[];
out Surface {
    vec4 color;
    vec2 uv;
    flat float texture_layer;
    flat float alpha_cutoff;
} surface;
#endif

void main() {
    for (int corner = 0; corner < 3; ++corner) {
        gl_Position = gl_in[corner].gl_Position;
        gl_Layer = target[corner].layer;
#ifdef SURFACE
        surface.color = vertex[corner].color;
        surface.uv = vertex[corner].uv;
        surface.texture_layer = vertex[corner].texture_layer;
        surface.alpha_cutoff = vertex[corner].alpha_cutoff;
#endif
        EmitVertex();
    }
    EndPrimitive();
}
