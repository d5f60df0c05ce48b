import { brandName, brandOf, cvcLength } from '../cards/card-brands.ts'
import { digitsOf, typeCvc, typeExpiry, typeNumber } from '../cards/card-input.ts'
import { BrandMark } from './brand-mark.tsx'
import { EmailField, FormField } from './form-field.tsx'
import type { SessionProps } from './page-props.ts'

/** The fields of a card, in inputs without a name so that native form submission cannot send it. */
export function CardFields(props: SessionProps) {
  const { state, text } = props
  const digits = digitsOf(state.fields.number)
  const brand = brandOf(digits)
  const numeric = { inputMode: 'numeric', spellcheck: false } as const
  return (
    <>
      <FormField
        {...props}
        {...numeric}
        name="number"
        autocomplete="cc-number"
        placeholder="1234 1234 1234 1234"
        shape={typeNumber}
        hint={brand && brandName(brand)}
        hintHidden
        mark={<BrandMark brand={brand} />}
      />
      <div class="field-pair">
        <FormField
          {...props}
          {...numeric}
          name="expiry"
          autocomplete="cc-exp"
          placeholder={text.expiryPlaceholder}
          shape={typeExpiry}
        />
        <FormField
          {...props}
          {...numeric}
          name="cvc"
          autocomplete="cc-csc"
          shape={typeCvc}
          hint={cvcLength(digits) === 4 ? text.cvcHintFour : text.cvcHint}
        />
      </div>
      <FormField {...props} name="holder" autocomplete="cc-name" autocapitalize="words" spellcheck={false} />
      <EmailField {...props} />
    </>
  )
}
