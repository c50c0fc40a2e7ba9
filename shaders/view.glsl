// A view as the buffer holds it: rows of clip_from_world, its layer, and the slopes of the image's edges.
struct View { vec4 clip_x; vec4 clip_y; vec4 clip_w; uint layer; float slope_x; float slope_y; uint unused; };
layout(std430, binding = 0) readonly buffer Views { View views[]; };
