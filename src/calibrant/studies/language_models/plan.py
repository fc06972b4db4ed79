"""The plan of the study of language models: which logs, and what is asked of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from calibrant.studies.language_models.stated import SURE

MMLU_PRO: Mapping[str, str] = {
    "gpt-4.1": "mmlu_pro_gpt-4.1_eval_all_None.csv",
    "gpt-4o": "mmlu_pro_gpt-4o-2024-08-06_eval_all_None.csv",
    "gpt-4.1-nano": "mmlu_pro_gpt-4.1-nano_eval_all_None.csv",
    "Qwen3-8B-think": "mmlu_pro_Qwen3-8B-think_eval_all_None.csv",
    "Qwen2.5-7B": "mmlu_pro_Qwen2.5-7B-Instruct_eval_all_None.csv",
    "gemma-2-9b": "mmlu_pro_gemma-2-9b-it_eval_all_None.csv",
    "Llama-3.1-8B": "mmlu_pro_Meta-Llama-3.1-8B-Instruct-Turbo_eval_all_None.csv",
}
MEDQA: Mapping[str, str] = {
    "DeepSeek-R1-8B": "MedQA_deepseek-ai_DeepSeek-R1-0528-Qwen3-8B.jsonl",
    "Fleming-R1-7B": "MedQA_UbiquantAI_Fleming-R1-7B.jsonl",
    "Qwen3-8B": "MedQA_unsloth_Qwen3-8B.jsonl",
    "Llama-3.1-8B": "MedQA_meta-llama_Llama-3.1-8B-Instruct.jsonl",
    "Ministral-8B": "MedQA_mistralai_Ministral-8B-Instruct-2410.jsonl",
}
VERITASQA: Mapping[str, str] = {
    "gemma-2-9b": "en__vqa2.gemma-2-9b-it.csv",
    "gemma-2-2b": "en__vqa2.gemma-2-2b-it.csv",
    "Llama-3.1-8B-Instruct": "en__vqa2.Meta-Llama-3.1-8B-Instruct.csv",
    "Llama-3.1-8B": "en__vqa2.Meta-Llama-3.1-8B.csv",
    "Mistral-7B": "en__vqa2.Mistral-7B-Instruct-v0.3.csv",
    "FLOR-6.3B": "en__vqa2.FLOR-6.3B.csv",
}


@dataclass(frozen=True)
class LanguageModelsPlan:
    """The settings of the study.

    Attributes
    ----------
    stated
        The logs with stated confidences, by the name of the model.
    chains
        The logs with several chains of thought per question.
    truthful
        The logs with true and false answers.
    sure
        The stated confidence from which a model counts as sure.
    counts
        The numbers of chains to ask about.
    """

    stated: Mapping[str, str] = field(default_factory=lambda: MMLU_PRO)
    chains: Mapping[str, str] = field(default_factory=lambda: MEDQA)
    truthful: Mapping[str, str] = field(default_factory=lambda: VERITASQA)
    sure: float = SURE
    counts: tuple[int, ...] = tuple(range(1, 12))


LANGUAGE_MODELS = LanguageModelsPlan()
