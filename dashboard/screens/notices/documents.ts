import { graphql } from '../../api/generated';

graphql(`
  fragment RecipientRow on NoticeRecipient {
    id
    address
    topics
    digest
    locale
    timeZone
    confirmedAt
    unsubscribedAt
    lastError
  }
`);

export const RECIPIENTS = graphql(`
  query NoticeRecipients {
    noticeRecipients(first: 50) {
      edges { node { ...RecipientRow } }
    }
  }
`);

export const CREATE_RECIPIENT = graphql(`
  mutation CreateNoticeRecipient($input: CreateNoticeRecipientInput!) {
    createNoticeRecipient(input: $input) { noticeRecipient { ...RecipientRow } }
  }
`);

export const UPDATE_RECIPIENT = graphql(`
  mutation UpdateNoticeRecipient($input: UpdateNoticeRecipientInput!) {
    updateNoticeRecipient(input: $input) { noticeRecipient { ...RecipientRow } }
  }
`);

export const DELETE_RECIPIENT = graphql(`
  mutation DeleteNoticeRecipient($id: ID!) {
    deleteNoticeRecipient(input: { id: $id }) { deletedNoticeRecipientId }
  }
`);

export const SEND_TEST_NOTICE = graphql(`
  mutation SendTestNotice($id: ID!) {
    sendTestNotice(input: { id: $id }) { noticeRecipient { ...RecipientRow } }
  }
`);
