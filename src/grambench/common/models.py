"""The base of all models of settings that pydantic checks."""

from pydantic import BaseModel, ConfigDict


class ConfigModel(BaseModel):
    """Base of all models: frozen, with finite numbers only, and an unknown key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, defer_build=True)
