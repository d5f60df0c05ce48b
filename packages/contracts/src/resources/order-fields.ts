import { z } from 'zod'
import { rejectUnbounded } from '../fields/metadata.ts'
import { amountCents } from '../fields/money.ts'
import { named } from '../fields/pagination.ts'

const text = (max: number) => z.string().min(1).max(max)

const customerFields = {
  first_name: text(100)
    .nullable()
    .optional()
    .meta({ description: 'First name.', examples: ['Ana'] }),
  last_name: text(100)
    .nullable()
    .optional()
    .meta({ description: 'Last name.', examples: ['López'] }),
  email: z
    .email({ error: 'expected an e-mail address' })
    .max(254)
    .nullable()
    .optional()
    .meta({ description: 'E-mail address.', examples: ['ana@example.com'] }),
}
const lineItemFields = {
  name: text(250).meta({ description: 'What is sold.', examples: ['Taza azul'] }),
  quantity: z
    .int()
    .min(1)
    .max(1_000_000)
    .meta({ description: 'How many.', examples: [2] }),
  unit_price: amountCents.meta({ description: 'The price of one.', examples: [12_500] }),
  product_id: text(100)
    .nullable()
    .optional()
    .meta({ description: "The merchant's id of the product.", examples: ['mug-blue'] }),
}

/** The payer, as a request describes it. */
export const customer = named('CustomerInput', z.strictObject(customerFields).describe('The payer.'))

/** One position of an order, as a request describes it. */
export const lineItem = named('LineItemInput', z.strictObject(lineItemFields).describe('One position of the order.'))

/** One position of an order, as responses show it. */
export const shownLineItem = named('LineItem', z.object(lineItemFields).describe('One position of the order.'))

/** The languages of the hosted page. */
export const pageLanguage = named('PageLanguage', z.enum(['es', 'en']).describe('A language of the hosted page.'))

/** The hosted page's look. Stores unknown keys for its later versions, within metadata's bounds. */
export const uiConfig = named(
  'UiConfig',
  z
    .looseObject({
      locale: pageLanguage.optional().describe("The page's language; by default the browser's."),
      brand_color: z
        .string()
        .regex(/^#[0-9a-fA-F]{6}$/, { error: 'expected a colour as #rrggbb' })
        .optional()
        .meta({ description: 'The color of buttons, as `#rrggbb`.', examples: ['#0b5fff'] }),
      logo_url: z
        .url({ protocol: /^https$/, error: 'expected an https URL' })
        .max(2048)
        .refine(isWebAddress, { error: 'expected an https URL without credentials' })
        .optional()
        .meta({ description: 'The logo, by https.', examples: ['https://shop.example/logo.png'] }),
      hide_line_items: z.boolean().optional().describe('Whether the page leaves out the line items.'),
    })
    .superRefine(rejectUnbounded)
    .describe('The look of the hosted page.'),
)

/** The payer, as responses show it. */
export const shownCustomer = named('Customer', z.object(customerFields).describe('The payer.'))

/** Returns whether a text is an absolute http or https URL without credentials. */
export function isWebAddress(value: string): boolean {
  const url = URL.parse(value)
  return (
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.username === '' &&
    url.password === '' &&
    /^https?:\/\//i.test(value)
  )
}
