// Triangles as the buffers hold them, and their normals; after view.glsl.
layout(std430, binding = 7) readonly buffer Indices { uint indices[]; };
layout(std430, binding = 8) readonly buffer Positions { float positions[]; };

vec3 corner_of(uint triangle, uint number) {
    uint first = 3u * indices[3u * triangle + number];
    return vec3(positions[first], positions[first + 1u], positions[first + 2u]);
}

// A direction of the world in camera space: x right, y up, z back.
vec3 to_camera(View view, vec3 direction) {
    return vec3(dot(view.clip_x.xyz, direction) * view.slope_x, -dot(view.clip_y.xyz, direction) * view.slope_y,
                -dot(view.clip_w.xyz, direction));
}

vec3 scaled(vec3 edge) {
    float largest = max(abs(edge.x), max(abs(edge.y), abs(edge.z)));
    return largest > 0.0 ? edge / largest : edge;
}

// Unit normal in camera space, of the side that the camera sees.
vec3 seen_normal(View view, uint triangle) {
    vec3 corner = corner_of(triangle, 0u);
    vec3 first = to_camera(view, scaled(corner_of(triangle, 1u) - corner));
    vec3 second = to_camera(view, scaled(corner_of(triangle, 2u) - corner));
    vec3 normal = normalize(cross(first, second));
    vec3 place = to_camera(view, corner) + vec3(view.clip_x.w * view.slope_x, -view.clip_y.w * view.slope_y,
                                                -view.clip_w.w);
    return dot(normal, place) > 0.0 ? -normal : normal;
}
