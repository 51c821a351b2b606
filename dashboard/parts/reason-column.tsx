import type { ReactNode } from 'react';
import type { Column } from './list';

const UNTIL = { sm: 'sm:hidden', md: 'md:hidden', lg: 'lg:hidden' } as const;

/**
 * The columns of a row's subject and of the reason why it is listed. Where a table is too narrow for the reason's
 * column, the reason is below the subject.
 *
 * @param below what is below the subject; default: the reason
 */
export function subjectAndReason<Row>(
  subject: Column<Row>,
  reason: Column<Row> & { from: keyof typeof UNTIL },
  below: (row: Row) => ReactNode = reason.render,
): [subject: Column<Row>, reason: Column<Row>] {
  const look = reason.card === 'line' ? 'truncate max-cards:hidden' : 'whitespace-normal';
  return [
    {
      ...subject,
      render: (row) => (
        <>
          {subject.render(row)}
          <span className={`block text-xs text-soft ${subject.wide ? '' : 'max-w-60'} ${look} ${UNTIL[reason.from]}`}>
            {below(row)}
          </span>
        </>
      ),
    },
    reason,
  ];
}
