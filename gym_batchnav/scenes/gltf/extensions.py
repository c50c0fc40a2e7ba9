"""Which extensions are read, and which codecs they need."""

from __future__ import annotations

from ..codecs import BASIS, DRACO, INSTALL_HINT, MESHOPT, is_installed

DRACO_EXTENSION = "KHR_draco_mesh_compression"
MESHOPT_EXTENSIONS = ("KHR_meshopt_compression", "EXT_meshopt_compression")
BASIS_EXTENSIONS = ("KHR_texture_basisu", "GOOGLE_texture_basis")
IMAGE_EXTENSIONS = ("EXT_texture_webp", "EXT_texture_avif", "MSFT_texture_dds")

CODECS = {
    DRACO_EXTENSION: DRACO,
    **dict.fromkeys(MESHOPT_EXTENSIONS, MESHOPT),
    **dict.fromkeys(BASIS_EXTENSIONS, BASIS),
}
"""Package that decodes what an extension stores."""

_READ = {
    *IMAGE_EXTENSIONS,
    *("EXT_mesh_gpu_instancing", "KHR_materials_emissive_strength"),
    *("KHR_materials_pbrSpecularGlossiness", "KHR_materials_unlit", "KHR_mesh_quantization"),
    *("KHR_node_visibility", "KHR_texture_transform"),
}
_WITHOUT_EFFECT = {
    # Lights, and what only changes how light is reflected.
    *("KHR_lights_punctual", "EXT_lights_image_based", "EXT_lights_ies", "KHR_materials_anisotropy"),
    *("KHR_materials_clearcoat", "KHR_materials_diffuse_transmission", "KHR_materials_dispersion"),
    *("KHR_materials_ior", "KHR_materials_iridescence", "KHR_materials_sheen", "KHR_materials_specular"),
    *("KHR_materials_subsurface", "KHR_materials_transmission", "KHR_materials_volume"),
    *("KHR_materials_volume_scatter", "KHR_lights_environment", "ADOBE_materials_clearcoat_specular"),
    *("ADOBE_materials_clearcoat_tint", "ADOBE_materials_thin_transparency"),
    *("MSFT_packing_normalRoughnessMetallic", "MSFT_packing_occlusionRoughnessMetallic"),
    # Choices, movements and descriptions beside the default picture.
    *("KHR_materials_variants", "KHR_animation_pointer", "KHR_node_hoverability"),
    *("KHR_node_selectability", "KHR_xmp_json_ld", "EXT_mesh_features", "EXT_instance_features"),
    *("EXT_structural_metadata", "MSFT_lod", "AGI_articulations", "AGI_stk_metadata"),
    *("CESIUM_primitive_outline", "EXT_mesh_manifold", "FB_geometry_metadata", "GODOT_single_root"),
    *("KHR_audio_emitter", "KHR_collision_shapes", "KHR_implicit_shapes", "KHR_interactivity"),
    *("KHR_physics_rigid_bodies", "OMI_collider", "OMI_physics_body", "OMI_physics_shape"),
}

SUPPORTED_EXTENSIONS = frozenset({*CODECS, *_READ, *_WITHOUT_EFFECT})
"""Extensions that a file may require: those that are read, and those that do not change base colours."""


def refusal(extension: str) -> str | None:
    """Say why a file that requires ``extension`` cannot be read, or None where it can be."""
    if extension not in SUPPORTED_EXTENSIONS:
        return f"names {extension!r:.80}, which is not supported; export the scene without it"
    if extension in CODECS and not is_installed(CODECS[extension]):
        return f"names {extension!r}, which needs the package {CODECS[extension]}: {INSTALL_HINT}"
    return None
