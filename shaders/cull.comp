#version 450 core
// Culling: one work group per (view, pages of one draw group of its scene). Runs of visible neighbours in a page
// become one indirect command. A work group appends in order, so the draw order within a view never changes.
//
// ONLY_SEEN draws the chunks in the frustum that the masks name; OCCLUSION leaves out what the depths drawn so
// far hide, and keeps the rest as the masks for the next time.
layout(local_size_x = 32) in;

#include "view.glsl"
struct Chunk { vec3 center; uint index_count; vec3 extent; uint unused; };
struct Item { uint view; uint first_entry; uint num_pages; uint group; uint first_command; uint first_mask; };
struct Command { uint index_count; uint instance_count; uint first_index; int base_vertex; uint base_instance; };

layout(std430, binding = 1) readonly buffer Chunks { Chunk chunks[]; };
layout(std430, binding = 2) readonly buffer Items { Item items[]; };
layout(std430, binding = 3) writeonly buffer Commands { Command commands[]; };
layout(std430, binding = 4) buffer Counts { uint num_items; uint counts[]; };
layout(std430, binding = 5) readonly buffer Pages { uint pages[]; };
#if defined(ONLY_SEEN) || defined(OCCLUSION)
layout(std430, binding = 6) buffer Masks { uint masks[]; };
#endif
#ifdef OCCLUSION
#include "hidden.glsl"
#endif

shared uint visible_mask;
shared uint first_slot;

// Whether a box lies on the inner side of dot(plane.xyz, p) + plane.w >= 0, at least in part.
bool reaches(vec4 plane, Chunk chunk) {
    return dot(plane.xyz, chunk.center) + dot(abs(plane.xyz), chunk.extent) + plane.w >= 0.0;
}

bool is_visible(View view, Chunk chunk) {
    return chunk.index_count > 0u
        && reaches(view.clip_w + view.clip_x, chunk) && reaches(view.clip_w - view.clip_x, chunk)
        && reaches(view.clip_w + view.clip_y, chunk) && reaches(view.clip_w - view.clip_y, chunk)
        && reaches(view.clip_w - vec4(0.0, 0.0, 0.0, NEAR), chunk)
#ifdef FAR
        && reaches(vec4(0.0, 0.0, 0.0, FAR) - view.clip_w, chunk)
#endif
#ifdef OCCLUSION
        && !is_hidden(view, chunk.center, chunk.extent)
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
    for (uint entry = 0u; entry < item.num_pages; ++entry) {
        if (lane == 0u) {
            visible_mask = 0u;
        }
        barrier();
        uint place = pages[item.first_entry + entry] * PAGE_CHUNKS + lane;
        if (lane < PAGE_CHUNKS && is_visible(view, chunks[place])) {
            atomicOr(visible_mask, 1u << lane);
        }
        barrier();
        uint mask = visible_mask;
#ifdef ONLY_SEEN
        mask &= masks[item.first_mask + entry];
#endif
#ifdef OCCLUSION
        uint before = masks[item.first_mask + entry];
        barrier();
        if (lane == 0u) {
            masks[item.first_mask + entry] = mask;
        }
#ifdef ADD
        mask &= ~before;
#endif
#endif
        uint starts = mask & ~(mask << 1);
        if (lane == 0u && starts != 0u) {
            first_slot = atomicAdd(counts[item.group], uint(bitCount(starts)));
        }
        barrier();
        if ((starts >> lane & 1u) != 0u) {
            uint beyond = ~(mask >> lane);
            uint length = beyond == 0u ? 32u : uint(findLSB(beyond));
            uint count = CHUNK_INDICES * (length - 1u) + chunks[place + length - 1u].index_count;
            uint slot = item.first_command + first_slot + uint(bitCount(starts & ((1u << lane) - 1u)));
            commands[slot] = Command(count, 1u, CHUNK_INDICES * place, 0, item.view);
        }
    }
}
