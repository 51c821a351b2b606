import 'reflect-metadata';
import { Field, InputType, Int, ObjectType } from 'type-graphql';
import { type PortalLook as Look, type PORTAL_FONTS, RADIUS_MAX } from '../../../domain/portal/portal-look.js';
import { graphqlEnum } from '../../../entities/graphql-enum.js';
import { Nullable } from '../../../entities/nullable.js';

const PortalFont = graphqlEnum<(typeof PORTAL_FONTS)[number]>('PortalFont', 'The font of the portal.', {
  INTER: 'Inter, the font of the portal itself.',
  SYSTEM: 'The font of the operating system.',
  GROTESQUE: 'Such as Helvetica or Arial.',
  HUMANIST: 'Such as Seravek, Gill Sans or Calibri.',
  GEOMETRIC: 'Such as Avenir or Montserrat.',
  SERIF: 'Such as Charter or Cambria.',
});

const ACCENT =
  'of links, buttons and marks, as `#rrggbb`, with a contrast of at least 4.5 : 1. Both themes have one, or none.';

@ObjectType({ description: 'How a portal looks, beside its theme.' })
export class PortalLook implements Look {
  @Nullable(() => String, 'The colour of links, buttons and marks in the light theme. Null for the portal’s own.')
  accent!: string | null;

  @Nullable(() => String, 'The same in the dark theme.')
  accentDark!: string | null;

  @Nullable(() => PortalFont, 'The font. Null for the portal’s own.')
  font!: Look['font'];

  @Nullable(() => Int, 'The radius of cards in CSS pixels. Null for the portal’s own.')
  radius!: number | null;

  @Field(() => Boolean, { description: 'Whether the ground is that of the page around the portal.' })
  transparent!: boolean;

  @Field(() => Boolean, { description: 'Whether the name of the tenant stands above the screens.' })
  header!: boolean;
}

@InputType({ description: 'How a portal looks, beside its theme. No other values reach a style sheet.' })
export class PortalLookInput {
  @Nullable(() => String, `The colour in the light theme ${ACCENT}`)
  accent?: string | null;

  @Nullable(() => String, `The colour in the dark theme ${ACCENT}`)
  accentDark?: string | null;

  @Nullable(() => PortalFont, 'The font. Default: the portal’s own.')
  font?: Look['font'];

  @Nullable(() => Int, `The radius of cards in CSS pixels, 0 to ${RADIUS_MAX}. Smaller parts have a part of it.`)
  radius?: number | null;

  @Nullable(
    () => Boolean,
    'Shows the ground of the page around the portal. Needs `theme` LIGHT or DARK, which a person cannot change then. Default: false.',
  )
  transparent?: boolean | null;

  @Nullable(() => Boolean, 'Shows the name of the tenant above the screens. Default: true.')
  header?: boolean | null;
}
