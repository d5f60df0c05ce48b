import { webAddress } from '../api/hosted-address.ts'
import { isSlow, screenOf } from '../state/page-state.ts'
import { CardForm } from './card-form.tsx'
import { Lock, Spinner } from './icons.tsx'
import { OrderSummary } from './order-summary.tsx'
import { Outcome } from './outcome.tsx'
import type { PageProps, SessionProps } from './page-props.ts'

/** The whole page. `data-screen` names its face for tests. */
export function Page(props: PageProps) {
  const screen = screenOf(props.state)
  return (
    <div class="page" data-screen={screen}>
      {screen === 'form' || screen === 'processing' ? (
        <Payment {...props} />
      ) : (
        <main class="single">{screen !== 'loading' && <Outcome {...props} screen={screen} />}</main>
      )}
      <footer class="footer">
        <Lock /> Cobro
      </footer>
    </div>
  )
}

function Payment(props: PageProps) {
  const { session } = props.state
  if (!session) return null
  const View = screenOf(props.state) === 'form' ? CardForm : Processing
  return (
    <main class="columns">
      <OrderSummary {...props} session={session} />
      <div class="panel form-panel">
        <View {...props} session={session} />
      </div>
    </main>
  )
}

function Processing({ state, text, session }: SessionProps) {
  const { title, text: sentence } = text.screens.processing
  const back = webAddress(session.redirect_url)
  return (
    <section class="processing">
      <Spinner large />
      <h2 id="title" tabIndex={-1}>
        {title}
      </h2>
      <p>{isSlow(state) ? text.slow : sentence}</p>
      {state.lastRead === 'unavailable' && <p class="offline">{text.offline}</p>}
      {isSlow(state) && back && (
        <a class="quiet-button" href={back} rel="noreferrer">
          {text.back(session.merchant_name)}
        </a>
      )}
    </section>
  )
}
