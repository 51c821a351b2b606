import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { FilterOp } from '../../../../src/domain/content/filter';
import type { ContentFormat } from '../../../api/generated/graphql';
import type { Unfinished } from './content-draft';
import type { ValueKind } from './filter-values';

/** The comparisons, between a field and its value. */
export const OPERATOR_WORDS: Record<FilterOp, MessageDescriptor> = {
  EQ: msg`is`,
  NE: msg`is not`,
  GT: msg`is greater than`,
  GE: msg`is at least`,
  LT: msg`is less than`,
  LE: msg`is at most`,
  IN: msg`is one of`,
  NOT_IN: msg`is none of`,
  EXISTS: msg`exists`,
  MISSING: msg`is missing`,
  STARTS_WITH: msg`starts with`,
  CONTAINS: msg`contains`,
  CHANGED: msg`changed`,
  CHANGED_FROM: msg`changed from`,
  CHANGED_TO: msg`changed to`,
};

/** The kinds of value, as `This is …`. */
export const KIND_NAMES: Record<ValueKind, MessageDescriptor> = {
  text: msg`text`,
  number: msg`a number`,
  boolean: msg`true or false`,
  null: msg`null`,
};

/** What a draft lacks before it can be tried or saved. */
export const UNFINISHED: Record<Unfinished, MessageDescriptor> = {
  types: msg`Choose at least one event type.`,
  condition: msg`A condition lacks its field or its value.`,
  filter: msg`The filter is not valid JSON.`,
  template: msg`The template is not valid JSON.`,
};

/** The formats of a body, with what each one makes. */
export const FORMATS: Record<ContentFormat, { name: MessageDescriptor; hint: MessageDescriptor }> = {
  JSON: { name: msg`JSON`, hint: msg`The body is the payload of the event.` },
  CLOUDEVENTS_BINARY: {
    name: msg`CloudEvents, binary`,
    hint: msg`The body is the payload. Headers describe the event.`,
  },
  CLOUDEVENTS_STRUCTURED: {
    name: msg`CloudEvents, structured`,
    hint: msg`The body is a CloudEvent with the payload as its data.`,
  },
  SLACK: { name: msg`Slack message`, hint: msg`For an incoming webhook of Slack.` },
  TEAMS: { name: msg`Teams message`, hint: msg`For a Teams flow that expects a message with attachments.` },
  TEAMS_CARD: { name: msg`Teams card`, hint: msg`For a Teams flow that expects an Adaptive Card alone.` },
  DISCORD: { name: msg`Discord message`, hint: msg`For a webhook of Discord.` },
  GOOGLE_CHAT: { name: msg`Google Chat message`, hint: msg`For a webhook of a space in Google Chat.` },
  TEMPLATE: { name: msg`Template`, hint: msg`The body is your own JSON with values of the event.` },
};
