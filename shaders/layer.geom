#version 450 core
// Chooses the layer where the vertex shader cannot.
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;

in Target { flat int layer; } target[];
#ifdef SURFACE
in Surface {
    vec4 color;
    vec2 uv;
    flat uint info;
} vertex[];
out Surface {
    vec4 color;
    vec2 uv;
    flat uint info;
} surface;
#endif
#ifdef NUMBERED
in Run { flat uint first_triangle; } runs[];
out Run { flat uint first_triangle; } run;
#endif
invariant gl_Position;

void main() {
    for (int corner = 0; corner < 3; ++corner) {
        gl_Position = gl_in[corner].gl_Position;
        gl_Layer = target[corner].layer;
#ifdef SURFACE
        surface.color = vertex[corner].color;
        surface.uv = vertex[corner].uv;
        surface.info = vertex[corner].info;
#endif
#ifdef NUMBERED
        run.first_triangle = runs[corner].first_triangle;
        gl_PrimitiveID = gl_PrimitiveIDIn;
#endif
        EmitVertex();
    }
    EndPrimitive();
}
