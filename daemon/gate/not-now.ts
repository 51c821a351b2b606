/** A delivery is not sent now: its job gets a later time, and no attempt is burned. */
export interface NotNow {
  putOffMs: number;
  /** Called when the job is written, or could not be: then it runs again like any that failed. */
  ended?(isWritten: boolean): void;
}
