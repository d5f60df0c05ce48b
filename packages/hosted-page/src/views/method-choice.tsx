import { type Method, methodOf } from '../state/page-state.ts'
import { CardIcon, CashIcon } from './icons.tsx'
import type { SessionProps } from './page-props.ts'

const icons: Record<Method, typeof CardIcon> = { card: CardIcon, cash: CashIcon }

/** The payment methods as radio buttons, with the browser's own keyboard support. */
export function MethodChoice({ state, text, session, actions }: SessionProps) {
  const chosen = methodOf(state)
  const busy = state.activity !== 'idle'
  return (
    <fieldset class="methods">
      <legend class="visually-hidden">{text.formTitles.both}</legend>
      {session.payment_method_types.map(method => {
        const Icon = icons[method]
        return (
          <label key={method} class="method">
            <input
              type="radio"
              id={`method-${method}`}
              name="method"
              value={method}
              checked={method === chosen}
              aria-disabled={busy}
              // Preventing the click keeps the current choice.
              onClick={event => busy && event.preventDefault()}
              onChange={() => actions.choose(method)}
            />
            <Icon />
            <span>{text.methods[method]}</span>
          </label>
        )
      })}
    </fieldset>
  )
}
