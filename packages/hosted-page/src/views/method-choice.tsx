import { type Method, methodOf } from '../state/page-state.ts'
import { CardIcon, CashIcon } from './icons.tsx'
import type { SessionProps } from './page-props.ts'

const icons: Record<Method, typeof CardIcon> = { card: CardIcon, cash: CashIcon }

/** What to pay with, as radio buttons: the browser gives them their keys. */
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
              // A click that is taken back leaves the choice as it was.
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
