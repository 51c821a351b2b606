/** What payloads may be searched for: the length of the text in characters, and how long the searched time is. */
export const PAYLOAD_PART_CHARS = { min: 3, max: 200 };
export const SEARCHED_DAYS_MAX = 7;
