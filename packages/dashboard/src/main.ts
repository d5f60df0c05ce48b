import '@cobro/look/tokens.css'
import './look/base.css'
import { session } from './api/browser-session.ts'

// Everything else waits for this answer, so it is asked for before the rest is loaded.
void session.resume()
// Who had a login most likely has one still.
if (session.state().kind === 'starting') void import('./app/app.tsx').catch(() => undefined)

const place = document.getElementById('app')
if (place) void import('./app/page.tsx').then(({ showPage }) => showPage(place))
