#version 450 core
// Follows a ray through the tree of a scene (bvh.py says how nodes are laid out) to its nearest triangle.

layout(local_size_x = 8, local_size_y = 8) in;

#include "hit.glsl"

layout(std430, binding = 1) readonly buffer Nodes { uvec4 nodes[]; };

const float TINY = 1e-12;
// Relative error of the distances to the sides of boxes, several times what their arithmetic makes.
const float SLACK = 1.0 / 2097152.0;

// Nodes still to be visited: the first child of their parent, and a mask of the slots that were hit, in the
// order in which the ray meets them, below the mask of the slots that hold inner nodes.
shared uvec2 stack[LEVELS][64];

// Twelve times the volume between a ray and an edge. Neighbours get opposite numbers for the edge they share,
// to the last bit, so that no ray passes between them (the edge test of Davidovic, Engelhardt, Georgiev,
// Slusallek and Dachsbacher, "3D rasterization: a bridge between rasterization and ray casting", 2012).
float edge_volume(vec3 p, vec3 q, vec3 direction) {
    vec3 sum = p + q, change = p - q;
    precise vec3 area = vec3(sum.y * change.z - sum.z * change.y, sum.z * change.x - sum.x * change.z,
                             sum.x * change.y - sum.y * change.x);
    precise float volume = area.x * direction.x + area.y * direction.y + area.z * direction.z;
    return volume;
}

void meet_triangle(uint number, uint first, vec3 origin, vec3 direction, float near, inout Hit hit) {
    vec3 a = uintBitsToFloat(corners[first].xyz) - origin;
    vec3 b = uintBitsToFloat(corners[first + 1u].xyz) - origin;
    vec3 c = uintBitsToFloat(corners[first + 2u].xyz) - origin;
    float u = edge_volume(c, a, direction);
    float v = edge_volume(a, b, direction);
    float w = edge_volume(b, c, direction);
    if (min(min(u, v), w) < 0.0 && max(max(u, v), w) > 0.0) {
        return;
    }
    vec3 normal = cross(b - a, c - a);
    float t = dot(a, normal) / dot(direction, normal);
    // A ray along its triangle gives NaN, which is never in between.
    if (t >= near && t < hit.t) {
        float total = u + v + w;
        hit = Hit(t, number, u / total, v / total, normal);
    }
}

vec4 unpacked(uint word) {
    return vec4(uvec4(word, word >> 8, word >> 16, word >> 24) & 255u);
}

Hit trace(vec3 origin, vec3 direction, uvec4 scene, float near, float far) {
    uint lane = gl_LocalInvocationIndex;
    vec3 steep = mix(direction, vec3(TINY), lessThan(abs(direction), vec3(TINY)));
    vec3 inverse = 1.0 / steep;
    bvec3 down = lessThan(steep, vec3(0.0));
    uint mirrored = uint(down.x) | uint(down.y) << 1 | uint(down.z) << 2;
    Hit hit = Hit(far, MISS, 0.0, 0.0, vec3(0.0));
    uvec2 group = uvec2(0u, 1u);
    int waiting = 0;
    while (true) {
        if ((group.y & 255u) == 0u) {
            if (waiting == 0) {
                break;
            }
            group = stack[--waiting][lane];
        }
        uint turn = uint(findLSB(group.y));
        group.y &= group.y - 1u;
        uint before = (1u << (turn ^ mirrored)) - 1u;
        uint node = 5u * (scene.x + group.x + uint(bitCount(group.y >> 8 & before)));
        if ((group.y & 255u) != 0u) {
            stack[waiting++][lane] = group;
        }
        uvec4 head = nodes[node], links = nodes[node + 1u];
        uvec4 lows = nodes[node + 2u], middle = nodes[node + 3u], highs = nodes[node + 4u];
        vec3 quantum = uintBitsToFloat((uvec3(head.w, head.w >> 8, head.w >> 16) & 255u) << 23) * inverse;
        vec3 start = (uintBitsToFloat(head.xyz) - origin) * inverse;
        vec3 slack = SLACK * (abs(start) + 255.0 * abs(quantum));
        vec3 early = start - slack, late = start + slack;
        uvec2 near_x = down.x ? middle.zw : lows.xy, far_x = down.x ? lows.xy : middle.zw;
        uvec2 near_y = down.y ? highs.xy : lows.zw, far_y = down.y ? lows.zw : highs.xy;
        uvec2 near_z = down.z ? highs.zw : middle.xy, far_z = down.z ? middle.xy : highs.zw;
        uint inner = head.w >> 24, hits = 0u, triangles = 0u;
        for (uint half_ = 0u; half_ < 2u; ++half_) {
            vec4 enter_x = unpacked(near_x[half_]) * quantum.x + early.x;
            vec4 leave_x = unpacked(far_x[half_]) * quantum.x + late.x;
            vec4 enter_y = unpacked(near_y[half_]) * quantum.y + early.y;
            vec4 leave_y = unpacked(far_y[half_]) * quantum.y + late.y;
            vec4 enter_z = unpacked(near_z[half_]) * quantum.z + early.z;
            vec4 leave_z = unpacked(far_z[half_]) * quantum.z + late.z;
            vec4 enter = max(max(enter_x, enter_y), max(enter_z, vec4(near)));
            vec4 leave = min(min(leave_x, leave_y), min(leave_z, vec4(hit.t)));
            uint kinds = links[2u + half_];
            for (uint place = 0u; place < 4u; ++place) {
                if (enter[place] <= leave[place]) {
                    uint slot = 4u * half_ + place, kind = kinds >> 8u * place & 255u;
                    hits |= (inner >> slot & 1u) << (slot ^ mirrored);
                    triangles |= ((1u << (kind & 7u)) - 1u) << (kind >> 3);
                }
            }
        }
        group = uvec2(links.x, hits | inner << 8);
        while (triangles != 0u) {
            uint number = links.y + uint(findLSB(triangles));
            triangles &= triangles - 1u;
            meet_triangle(number, 3u * (scene.y + number), origin, direction, near, hit);
        }
    }
    return hit;
}
