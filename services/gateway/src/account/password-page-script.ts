/**
 * The script of the page, which the browser runs as it is. It takes the token from the fragment, which is not sent to any
 * server, and removes it from the address and so from the history.
 */
export const passwordPageScript = `
const form = document.querySelector('form')
const [, token] = /^#token=([\\w-]+)$/.exec(location.hash) ?? []
history.replaceState(null, '', location.pathname)

const showOnly = (group, name) => {
  for (const part of document.querySelectorAll('[data-' + group + ']')) part.hidden = part.dataset[group] !== name
}
showOnly('state', token ? 'form' : 'incomplete')

const field = form.elements.password
form.elements.show.addEventListener('change', event => {
  field.type = event.target.checked ? 'text' : 'password'
})

const problems = { 400: 'weak', 429: 'limited' }
form.addEventListener('submit', async event => {
  event.preventDefault()
  showOnly('problem', field.value.length < 12 ? 'short' : '')
  if (field.value.length < 12) return field.focus()
  form.elements.submit.disabled = true
  const status = await setPassword(field.value)
  form.elements.submit.disabled = false
  if (status === 200) return showOnly('state', 'done')
  if (status === 401) return showOnly('state', 'lapsed')
  showOnly('problem', problems[status] ?? 'failed')
  field.focus()
})

async function setPassword(password) {
  try {
    const headers = { 'Content-Type': 'application/json' }
    const body = JSON.stringify({ token, password })
    const { status } = await fetch('../api/auth/password', { method: 'POST', headers, body })
    return status
  } catch {
    return 0
  }
}
`
