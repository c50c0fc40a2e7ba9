// Triangles as the ray caster's buffer holds them, and what a ray hits.
layout(std430, binding = 2) readonly buffer Triangles { uvec4 corners[]; };

// triangle: its number within the scene; u, v: weights of its second and third corner.
struct Hit { float t; uint triangle; float u; float v; vec3 normal; };

const uint MISS = 0xFFFFFFFFu;
