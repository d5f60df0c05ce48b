import type { MailContent } from './mail-content.ts'
import type { MailLanguage } from './mail-kinds.ts'

/** A mail as it is sent: one subject, and the same content as plain text and as HTML. */
export interface RenderedMail {
  subject: string
  text: string
  html: string
}

const footers = {
  es: 'Cobro envió este correo. Nunca pedimos contraseñas ni códigos por correo.',
  en: 'Cobro sent this mail. We never ask for passwords or codes by mail.',
} as const

/** Renders the content of a mail. Texts of users cannot add lines, headers or HTML. */
export function renderMail(
  language: MailLanguage,
  { subject, paragraphs, facts = [], link }: MailContent,
): RenderedMail {
  const footer = footers[language]
  const listed = facts.map(([label, value]) => `${label}: ${oneLine(value)}`).join('\n')
  const parts = [...paragraphs.map(oneLine), listed, link?.url ?? '', `-- \n${footer}`]
  const rows = facts.map(([label, value]) => `<tr><td>${escapeHtml(label)}</td><td>${escapeHtml(value)}</td></tr>`)
  const body = [
    ...paragraphs.map(paragraph => `<p>${escapeHtml(paragraph)}</p>`),
    rows.length > 0 ? `<table cellpadding="4">${rows.join('')}</table>` : '',
    link ? `<p><a href="${escapeHtml(link.url)}">${escapeHtml(link.label)}</a></p>` : '',
    `<p><small>${escapeHtml(footer)}</small></p>`,
  ]
  return {
    subject: oneLine(subject),
    text: `${parts.filter(Boolean).join('\n\n')}\n`,
    html: `<!doctype html>\n<html lang="${language}"><body>\n${body.filter(Boolean).join('\n')}\n</body></html>\n`,
  }
}

/** Replaces control characters, line breaks among them, and shortens what is too long for a mail. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, 500)
}

function escapeHtml(text: string): string {
  return oneLine(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
