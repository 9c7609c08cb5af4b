"""Which tests hold which answer of book/questions, and which cases of the list it answers."""

MESSAGES = "test_question_messages::test_the_quoted_message_is_what_comes"
PAGES = "test_pages::test_page"

# By the title of the entry: numbers of the list of reader questions, then tests.
CASES = {
    "The model attends only to the future": (
        "Q01",
        "test_attention::test_true_may_attend",
        "test_question_cases::test_pytorch_reads_true_in_two_ways",
    ),
    "Every allowed key gets the same weight": (
        "Q02",
        "test_bad_input::test_each_row_gives_what_the_table_says",
        "test_question_cases::test_an_additive_mask_taken_for_0_and_1_erases_the_scores",
    ),
    "Additive 0/-inf masks are not taken": ("Q02", MESSAGES),
    "After ~mask every key is allowed": (
        "Q03",
        "test_masks::test_an_integer_mask_is_true_where_it_is_not_zero",
        "test_question_cases::test_inverted_integers_are_all_true",
    ),
    "masked_fill_ only supports boolean masks": (MESSAGES,),
    "Subtraction with a bool tensor is not supported": (MESSAGES,),
    "Boolean value of Tensor with more than one value is ambiguous": (MESSAGES,),
    "Expected attn_mask dtype to be bool or float": (
        MESSAGES,
        "test_attention::test_an_integer_mask_counts_as_its_boolean",
    ),
    "Blocked keys still get weight": (
        "test_attention::test_weights_sum_to_one_and_blocked_keys_get_none",
        "test_question_cases::test_scores_times_a_mask_block_nothing",
    ),
    "A sentence without padding loses keys": (
        "Q04",
        "test_attention::test_a_square_two_axis_mask_is_never_a_padding_flag",
    ),
    "A padding flag must be written valid[:, None, None, :]": ("Q04", MESSAGES),
    "Should the rows of PAD queries be masked too?": (
        "Q05",
        "test_question_cases::test_masking_pad_queries_too_changes_nothing_that_is_read",
    ),
    "More padding in the source changes the answer": (
        "Q05",
        "test_decoder::test_source_padding_does_not_leak",
        "test_transformer::test_more_padding_changes_nothing",
    ),
    "Each head uses the mask of another sentence": (
        "test_masks::test_three_axes_are_per_sentence_even_where_there_are_as_many_heads",
        "test_faults::test_fault_6_is_silently_wrong_where_they_are_as_many",
    ),
    "The shape of the 3D attn_mask": (
        MESSAGES,
        "test_masks::test_three_axes_are_sentences_queries_and_keys",
    ),
    "The shape of the 2D attn_mask": (MESSAGES,),
    "Expected key_padded_mask.shape[0]": (
        MESSAGES,
        "test_question_cases::test_a_padding_mask_becomes_a_flag_for_pytorch",
    ),
    "Need attn_mask if specifying the is_causal hint": (MESSAGES,),
    "Support for mismatched key_padding_mask and attn_mask is deprecated": (MESSAGES,),
    "In eval mode the model sees the future": (
        "Q16",
        "test_attention::test_the_mode_changes_nothing",
        "test_question_cases::test_a_mask_tied_to_the_mode_is_gone_in_eval",
    ),
    "The attention map shows weight on blocked keys": (
        "Q29",
        "test_attention_maps::test_maps_are_the_weights_of_the_pass",
    ),
    "The attention weights have no head axis": (
        "test_question_cases::test_pytorch_averages_the_weights_over_the_heads",
    ),
    "NaN after the softmax": (
        "Q06",
        "test_attention::test_an_empty_row_gives_zeros_and_finite_gradients",
        "test_decoder::test_left_padding_with_a_causal_mask_gives_finite_numbers",
    ),
    "A fully masked row averages everything": (
        "Q06",
        "test_question_cases::test_a_row_of_blocked_scores",
    ),
    "The loss is finite and the gradients are NaN": (
        "Q07",
        "test_attention::test_a_loss_on_the_other_rows_has_finite_gradients",
        "test_question_cases::test_a_nan_that_nobody_reads_comes_back",
    ),
    "The loss is NaN": ("test_question_cases::test_labels_of_padding_alone_give_nan",),
    "One NaN in the padding spoils every position": (
        "test_question_cases::test_a_blocked_nan_is_still_a_nan",
    ),
    "My scores change when I call softmax": (
        "Q08",
        "test_attention::test_nothing_writes_into_what_the_caller_passed",
        "test_question_cases::test_in_place_masking_writes_into_the_scores_of_the_caller",
    ),
    "value cannot be converted to type Half without overflow": (
        "Q09",
        MESSAGES,
        "test_faults::test_fault_7_float16_has_no_such_number",
        "test_question_cases::test_a_conversion_gives_minus_infinity_where_masked_fill_raises",
    ),
    "float16 gives inf or NaN without any mask": (
        "Q09",
        "test_attention::test_what_fits_float16_once_scaled_does_not_overflow",
    ),
    "Columns add up to 1 instead of rows": (
        "Q14",
        "test_attention::test_softmax_runs_over_the_keys",
    ),
    "Nearly all the weight lies on one key": (
        "test_attention::test_scores_are_divided_by_the_root_of_d_k",
    ),
    "mat1 and mat2 shapes cannot be multiplied": (
        MESSAGES,
        "test_bad_input::test_each_row_gives_what_the_table_says",
    ),
    "The size of tensor a must match the size of tensor b": (MESSAGES,),
    "Expected size for first two dimensions of batch2 tensor": (MESSAGES,),
    "batch1 must be a 3D tensor": (MESSAGES, "test_faults::test_fault_3_bmm_refuses_four_axes"),
    "too many values to unpack": (MESSAGES, "test_faults::test_fault_4_four_axes_are_not_three"),
    "view size is not compatible with input tensor's size and stride": (
        MESSAGES,
        "test_attention::test_splitting_takes_views_that_are_not_contiguous",
    ),
    "shape is invalid for input of size": (MESSAGES,),
    "embed_dim must be divisible by num_heads": (
        "Q10",
        MESSAGES,
        "test_bad_input::test_each_row_gives_what_the_table_says",
    ),
    "Tokens are mixed after the heads are combined": (
        "Q12",
        "test_attention::test_combining_undoes_splitting",
        "test_question_cases::test_the_wrong_merge_mixes_tokens",
    ),
    "A head holds whole tokens instead of a slice of each": (
        "Q13",
        "test_attention::test_a_head_is_a_slice_of_the_features_at_all_positions",
        "test_question_cases::test_the_wrong_split_hands_out_whole_tokens",
    ),
    "Sentences of a batch influence each other": (
        "test_attention::test_the_sentences_of_a_batch_are_independent",
        "test_question_cases::test_without_batch_first_sentences_influence_each_other",
    ),
    "stack expects each tensor to be equal size": (
        MESSAGES,
        "test_vocabulary::test_a_batch_is_filled_up_with_pad",
    ),
    "the feature number of src and tgt must be equal to d_model": (MESSAGES,),
    "argument 'input' must be Tensor, not tuple": (
        MESSAGES,
        "test_attention::test_its_output_is_a_plain_tensor_unless_weights_are_asked_for",
    ),
    "CUDA out of memory": (
        "test_question_cases::test_the_fused_path_keeps_no_table_for_backward",
        "test_generation::test_trim_drops_only_what_is_padding_in_every_row",
    ),
    "My LayerNorm differs from nn.LayerNorm": (
        "Q17",
        "test_question_cases::test_a_layer_norm_with_std_gives_other_numbers",
    ),
    "Pre-LN loses its input": (
        "Q18",
        "test_encoder::test_with_everything_dropped_the_residual_remains",
        "test_question_cases::test_pre_ln_that_overwrites_x_loses_it",
    ),
    "Copied weights fit and give other numbers": (
        "test_parity::test_value_and_gradients_are_those_of_torch",
        "test_question_cases::test_the_place_of_the_norm_has_no_weight",
    ),
    "Two calls with the same input differ": ("test_encoder::test_dropout_is_off_in_evaluation",),
    "The output still changes after eval()": (
        "Q15",
        "test_attention::test_the_mode_changes_nothing",
        "test_question_cases::test_a_probability_given_to_a_function_ignores_the_mode",
    ),
    "Attention weights do not add up to 1": (
        "test_question_cases::test_pytorch_drops_attention_weights_and_we_do_not",
    ),
    "PAD rows are zero in eval mode": (
        "Q20",
        "test_question_cases::test_only_pad_rows_differ_in_the_fast_path",
    ),
    "The PyTorch API of nested tensors is in prototype stage": ("Q20", MESSAGES),
    "enable_nested_tensor is True, but self.use_nested_tensor is False": ("Q20", MESSAGES),
    "optimizer got an empty parameter list": (
        MESSAGES,
        "test_encoder::test_layers_stack_in_a_module_list",
    ),
    "All layers have the same weights": (
        "test_transformer::test_each_layer_has_parameters_of_its_own",
        "test_question_cases::test_copies_of_a_layer_start_equal_and_are_not_one",
    ),
    "object has no attribute 'pe'": (
        MESSAGES,
        "test_positional::test_the_table_is_a_buffer_and_not_a_parameter",
    ),
    "Expected all tensors to be on the same device": (
        "test_positional::test_the_table_follows_the_module",
        "test_attention::test_a_mask_on_another_device_is_moved",
    ),
    "mat1 and mat2 must have the same dtype": (
        MESSAGES,
        "test_positional::test_the_dtype_of_the_input_is_kept",
    ),
    "Missing key(s) in state_dict": (MESSAGES,),
    "The expanded size of the tensor must match the existing size": (
        "Q11",
        MESSAGES,
        "test_positional::test_an_odd_size_has_one_cosine_fewer",
        "test_positional::test_the_table_of_the_article",
    ),
    "expected a length of at most max_len": (
        MESSAGES,
        "test_positional::test_a_length_up_to_max_len_is_taken_and_one_more_is_refused",
    ),
    "Shuffling the words changes nothing": (
        "test_attention::test_attention_alone_is_blind_to_order",
    ),
    "The positions are added twice": (
        "test_question_cases::test_two_calls_add_the_positions_twice",
        "test_transformer::test_embeddings_are_scaled_and_get_their_position",
    ),
    "index out of range in self": (
        MESSAGES,
        "test_bad_input::test_each_row_gives_what_the_table_says",
    ),
    "CUDA error: device-side assert triggered": (
        "test_bad_input::test_each_row_gives_what_the_table_says",
    ),
    "Expected tensor for argument 'indices' to have scalar types Long, Int": (
        MESSAGES,
        "test_bad_input::test_each_row_gives_what_the_table_says",
    ),
    "The PAD row is no longer zero": ("test_transformer::test_the_pad_row_is_zero_and_stays_zero",),
    "Where is the shift?": (
        "Q19",
        "test_training::test_shift_drops_the_last_input_and_the_first_label",
        "test_training::test_the_loss_is_the_mean_over_labels_that_are_no_padding",
    ),
    "Expected target size": ("Q19", MESSAGES),
    "Expected input batch_size to match target batch_size": ("Q19", MESSAGES),
    "Target is out of bounds": (MESSAGES,),
    "The loss does not fall": (
        "test_training::test_a_model_learns_to_copy_and_the_pad_rows_stay_zero",
        "test_training::test_gradients_do_not_pile_up_from_step_to_step",
    ),
    "The loss stays high although every answer is right": (
        "test_question_cases::test_a_second_softmax_keeps_the_loss_high",
    ),
    "Perfect in training, nonsense in generation": (
        "test_transformer::test_nothing_leaks_from_later_targets",
        "test_training::test_shift_drops_the_last_input_and_the_first_label",
    ),
    "The same token again and again": (
        "test_training::test_shift_drops_the_last_input_and_the_first_label",
        "test_generation::test_greedy_search_is_the_loop_by_hand",
    ),
    "Generation never stops": ("test_generation::test_max_len_counts_the_first_token",),
    "Trying to backward through the graph a second time": (
        MESSAGES,
        "test_decoder::test_the_encoder_learns_through_cross_attention",
    ),
    "element 0 of tensors does not require grad": (
        MESSAGES,
        "test_generation::test_no_gradients_are_recorded",
    ),
    "modified by an inplace operation": (
        MESSAGES,
        "test_attention::test_nothing_writes_into_what_the_caller_passed",
    ),
    "No module named 'follow_the_tensor'": (
        "test_setup_cell::test_every_chapter_begins_with_the_one_set_up_cell",
        "test_setup_cell::test_download_writes_the_package_and_installs_nothing_that_is_there",
    ),
    "No module named 'torchtext'": (
        "Q22",
        "test_question_cases::test_a_chapter_pins_nothing_and_needs_nothing_that_colab_dropped",
    ),
    "numpy.dtype size changed, may indicate binary incompatibility": (
        "Q22",
        "test_question_cases::test_the_package_has_lower_bounds_only",
        "test_setup_cell::test_download_installs_a_missing_package_and_none_of_what_that_needs",
    ),
    "My number is different": ("Q21", "test_notebooks::test_chapter"),
    "Error displaying widget: model not found": (
        "Q24",
        "test_explorables_pages::test_all_come_to_life",
    ),
    "The page is blank or its figures are dead": ("Q24", PAGES),
    "Black text on a dark page": ("Q25", "test_plots::test_the_ground_is_white_and_opaque"),
    "A figure without words for a screen reader": ("Q28", PAGES, "test_notebooks::test_guard_sees"),
    "The text and the code disagree": ("Q30", "test_reading::test_what_is_shown_is_what_runs"),
    "The checks are green and the page is wrong": ("Q23", PAGES, "test_notebooks::test_guard_sees"),
    "The build is green and nothing was built": (
        "Q26",
        "test_pages::test_the_book_has_the_pages_of_its_contents",
    ),
    "The launch button leads to a 404": (
        "Q27",
        "test_launch::test_both_links_lead_to_the_complete_copy",
    ),
}
