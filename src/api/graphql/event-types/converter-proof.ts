import 'reflect-metadata';
import { Field, Int, ObjectType } from 'type-graphql';
import { Nullable } from '../../../entities/nullable.js';
import { isProved, type ConverterProof as Proof } from '../../../operations/event-types/prove-converter.js';
import { EVENTS_MAX, EXAMPLES_MAX } from '../../../operations/event-types/refused-events.js';
import { mayHold } from '../fields/costs.js';
import { ISSUES_MAX, PayloadIssue, payloadIssue, RefusedEvent } from './payload-issues.js';

@ObjectType({
  description:
    'Whether a converter makes payloads that the version before accepts: it was tried with the sample of its version, and with the events of the last day.',
})
export class ConverterProof {
  @Field(() => Boolean, { description: 'Whether the sample and all events fit that were tried.' })
  fits!: boolean;

  @Field(() => Boolean, { description: 'False when the time was over before everything was looked at.' })
  complete!: boolean;

  @mayHold(ISSUES_MAX)
  @Nullable(() => [PayloadIssue], 'The rules that the converted sample breaks. Null when the version has no sample.')
  sampleIssues!: PayloadIssue[] | null;

  @Field(() => Int, {
    description: `Number of events of the last day that were looked at: the newest ${EVENTS_MAX} of the type, or fewer, with at most 16 MiB together, over all tenants. Tests are not among them.`,
  })
  eventsLookedAt!: number;

  @Field(() => Int, {
    description: 'Number of these that the schema of the version accepts: others are not converted, and do not count.',
  })
  eventsJudged!: number;

  @Field(() => Int, { description: 'Number of these that the version before accepts, once they are converted.' })
  eventsFit!: number;

  @mayHold(EXAMPLES_MAX)
  @Field(() => [RefusedEvent], {
    description: `Examples of the others: at most ${EXAMPLES_MAX}, of different faults as far as there are.`,
  })
  misfits!: RefusedEvent[];
}

export const shownProof = (proof: Proof): ConverterProof => ({
  ...proof,
  fits: isProved(proof),
  sampleIssues: proof.sampleIssues?.slice(0, ISSUES_MAX).map(payloadIssue) ?? null,
});
