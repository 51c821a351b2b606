import { describe, expect, test } from 'vitest';
import { isExternalId, markedExternalId, NAMED_TENANT, withMark } from '../../src/domain/ids/external-id.js';
import { parseGlobalId } from '../../src/domain/ids/global-id.js';
import { parseId } from '../../src/domain/ids/id.js';
import { isPortalPath } from '../../src/domain/portal/portal-paths.js';
import { fc } from '../support/properties.js';

const externalId = fc.stringMatching(/^[!-~]([ -~]{0,253}[!-~])?$/);

describe('an external id', () => {
  test.each(['a', '7', 'acme_42', 'tn_7', 'a b', 'ext:a', '{"a":1}', 'x'.repeat(255)])('may be %j', (text) => {
    expect(isExternalId(text)).toBe(true);
  });

  test.each([...['', ' ', ' a', 'a ', 'a\tb', 'a\n', '\na', 'a\u0000b', 'ä', 'a\u200b', '\u{1f600}', 'x'.repeat(256)]])(
    'cannot be %j',
    (text) => {
      expect(isExternalId(text)).toBe(false);
    },
  );

  test('is the value of a header as it is', () => {
    fc.assert(
      fc.property(externalId, (id) => {
        expect(new Headers({ 'hookwright-tenant': withMark(id) }).get('hookwright-tenant')).toBe(withMark(id));
      }),
    );
  });
});

describe('with its mark, an external id', () => {
  test('is read back, and is neither a number nor a global id', () => {
    fc.assert(
      fc.property(externalId, (id) => {
        const marked = withMark(id);
        expect([markedExternalId(marked), parseId(marked), parseGlobalId(marked)]).toEqual([id, null, null]);
        expect(marked).toMatch(NAMED_TENANT);
      }),
    );
  });

  test.each(['', 'ext:', 'ext: a', 'ext:a ', 'EXT:a', 'acme', '7', 'tn_7', ' ext:a', `ext:${'x'.repeat(256)}`])(
    'is not what stands in %j',
    (text) => {
      expect(markedExternalId(text)).toBeNull();
    },
  );

  test('has a place in the address of a screen', () => {
    fc.assert(
      fc.property(externalId, (id) => {
        expect(isPortalPath(`/endpoints/${withMark(encodeURIComponent(id))}`)).toBe(true);
      }),
    );
    expect(isPortalPath('/endpoints/ext:a/b')).toBe(false);
    expect(isPortalPath('/endpoints/ext:a b')).toBe(false);
  });
});
