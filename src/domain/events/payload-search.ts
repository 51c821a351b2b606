/** Limits of a payload search: the length of the text in characters, and the days of the searched time. */
export const PAYLOAD_PART_CHARS = { min: 3, max: 200 };
export const SEARCHED_DAYS_MAX = 7;
