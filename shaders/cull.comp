#version 450 core
// Frustum culling: one work group per (view, range of chunks of one draw group). Runs of visible neighbours
// become one indirect command. A work group appends in order, so the draw order within a view never changes.
layout(local_size_x = 32) in;

struct View { vec4 clip_x; vec4 clip_y; vec4 clip_w; uvec4 layer; };
struct Chunk { vec3 center; uint first_index; vec3 extent; uint index_count; };
struct Item { uint view; uint first_chunk; uint num_chunks; uint group; uint first_command; };
struct Command { uint index_count; uint instance_count; uint first_index; int base_vertex; uint base_instance; };

layout(std430, binding = 0) readonly buffer Views { View views[]; };
layout(std430, binding = 1) readonly buffer Chunks { Chunk chunks[]; };
layout(std430, binding = 2) readonly buffer Items { Item items[]; };
layout(std430, binding = 3) writeonly buffer Commands { Command commands[]; };
layout(std430, binding = 4) buffer Counts { uint num_items; uint counts[]; };

shared uint visible_mask;
shared uint first_slot;

// Whether a box lies on the inner side of dot(plane.xyz, p) + plane.w >= 0, at least in part.
bool reaches(vec4 plane, Chunk chunk) {
    return dot(plane.xyz, chunk.center) + dot(abs(plane.xyz), chunk.extent) + plane.w >= 0.0;
}

bool is_visible(View view, Chunk chunk) {
    return reaches(view.clip_w + view.clip_x, chunk) && reaches(view.clip_w - view.clip_x, chunk)
        && reaches(view.clip_w + view.clip_y, chunk) && reaches(view.clip_w - view.clip_y, chunk)
        && reaches(view.clip_w - vec4(0.0, 0.0, 0.0, NEAR), chunk)
#ifdef FAR
        && reaches(vec4(0.0, 0.0, 0.0, FAR) - view.clip_w, chunk)
#endif
    ;
}

void main() {
    uint number = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (number >= num_items) {
        return;
    }
    Item item = items[number];
    View view = views[item.view];
    uint lane = gl_LocalInvocationID.x;
    for (uint begin = 0u; begin < item.num_chunks; begin += 32u) {
        if (lane == 0u) {
            visible_mask = 0u;
        }
        barrier();
        uint place = begin + lane;
        if (place < item.num_chunks && is_visible(view, chunks[item.first_chunk + place])) {
            atomicOr(visible_mask, 1u << lane);
        }
        barrier();
        uint mask = visible_mask;
        uint starts = mask & ~(mask << 1);
        if (lane == 0u && starts != 0u) {
            first_slot = atomicAdd(counts[item.group], uint(bitCount(starts)));
        }
        barrier();
        if ((starts >> lane & 1u) != 0u) {
            uint beyond = ~(mask >> lane);
            uint length = beyond == 0u ? 32u : uint(findLSB(beyond));
            uint first = chunks[item.first_chunk + place].first_index;
            Chunk last = chunks[item.first_chunk + place + length - 1u];
            uint slot = item.first_command + first_slot + uint(bitCount(starts & ((1u << lane) - 1u)));
            commands[slot] = Command(last.first_index + last.index_count - first, 1u, first, 0, item.view);
        }
    }
}
