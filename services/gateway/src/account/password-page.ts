import { createHash } from 'node:crypto'
import type { MailLanguage } from '../mail/mail-kinds.ts'
import { passwordPageScript } from './password-page-script.ts'
import { type PasswordPageTexts, passwordPageTexts } from './password-page-texts.ts'

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0 auto; padding: 3rem 1rem; max-width: 26rem; }
h1 { font-size: 1.5rem; }
label { display: block; margin: 1rem 0 0.25rem; }
input[name=password] { box-sizing: border-box; width: 100%; padding: 0.6rem; font: inherit; }
.show { display: flex; gap: 0.5rem; align-items: center; margin: 0.5rem 0 1rem; }
button { width: 100%; padding: 0.7rem; border: 0; border-radius: 6px; background: #1a56db; color: #fff; font: inherit; cursor: pointer; }
button:disabled { opacity: 0.6; }
[data-problem] { color: light-dark(#b42318, #ff9b8f); }
`

const sourceHash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** Only this script and style, and calls to this deployment. */
const policy = [
  "default-src 'none'",
  `script-src ${sourceHash(passwordPageScript)}`,
  `style-src ${sourceHash(style)}`,
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

export const passwordPageHeaders = {
  'Content-Security-Policy': policy,
  'Cache-Control': 'no-store',
  Vary: 'Accept-Language',
}

const states = ['done', 'lapsed', 'incomplete'] as const
const problems = ['short', 'weak', 'limited', 'failed'] as const

/** Returns the page on which a user chooses a password, for those who have a link from a mail. */
export function passwordPage(language: MailLanguage): string {
  const texts = passwordPageTexts[language]
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${texts.title} · Cobro</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${texts.title}</h1>
<noscript><p>${texts.noScript}</p></noscript>
${formOf(texts)}
<div role="status">
${states.map(state => `<p data-state="${state}" hidden>${texts[state]}</p>`).join('\n')}
</div>
</main>
<script>${passwordPageScript}</script>
</body>
</html>
`
}

const formOf = (texts: PasswordPageTexts): string => `<form data-state="form" hidden novalidate>
<p id="intro">${texts.intro}</p>
<label for="password">${texts.password}</label>
<input id="password" name="password" type="password" autocomplete="new-password" maxlength="1024" aria-describedby="intro problem">
<label class="show"><input name="show" type="checkbox"> ${texts.show}</label>
<div id="problem" role="alert">
${problems.map(problem => `<p data-problem="${problem}" hidden>${texts[problem]}</p>`).join('\n')}
</div>
<button name="submit">${texts.submit}</button>
</form>`
