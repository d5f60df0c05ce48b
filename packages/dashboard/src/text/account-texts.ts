import type { Access } from '@cobro/sdk/admin'
import type { Texts } from './locale.tsx'

/** What a dialog says about an action, and what the screen says once it is done. */
export interface Action {
  submit: string
  text: string
  failed: string
  done: string
}

interface AccountTexts {
  title: string
  email: string
  access: string
  accesses: Record<Access, string>
  logins: string
  loginsText: string
  changePassword: string
  newPassword: string
  passwordText: string
  shortPassword: string
  weakPassword: string
  notChanged: string
  passwordChanged: string
  endOthers: Action
  sendLink: Action
}

const es: AccountTexts = {
  title: 'Cuenta',
  email: 'Correo',
  access: 'Acceso',
  accesses: {
    admin: 'Administración: todo',
    finance: 'Finanzas: pagos, reembolsos y dinero',
    support: 'Soporte: consultas, y reembolsos hasta un límite',
    auditor: 'Auditoría: consultas, también de la bitácora',
    owner: 'Titular: todo lo del comercio',
    developer: 'Desarrollo: pagos, sucursales, webhooks y claves de API',
    viewer: 'Solo lectura',
  },
  logins: 'Contraseña y sesiones',
  loginsText: 'Si crees que alguien más conoce tu contraseña, cámbiala: tus demás sesiones se cierran.',
  changePassword: 'Cambiar contraseña',
  newPassword: 'Contraseña nueva',
  passwordText: 'Al menos 12 caracteres. Una frase que solo tú conoces es más segura que una palabra con símbolos.',
  shortPassword: 'Usa al menos 12 caracteres.',
  weakPassword: 'Esta contraseña es fácil de adivinar. Elige una menos común y sin tu correo.',
  notChanged: 'No se pudo cambiar la contraseña.',
  passwordChanged: 'Tu contraseña cambió. Tus demás sesiones se cerraron.',
  endOthers: {
    submit: 'Cerrar mis demás sesiones',
    text: 'Se cierran tus sesiones en otros navegadores y equipos. Esta sigue abierta.',
    failed: 'No se pudieron cerrar.',
    done: 'Tus demás sesiones se cerraron.',
  },
  sendLink: {
    submit: 'Olvidé mi contraseña',
    text: 'Te enviamos un enlace por correo para elegir otra. Sirve una vez, durante una hora, y al usarlo se cierran todas tus sesiones.',
    failed: 'No se pudo enviar.',
    done: 'El enlace va en camino. Revisa tu correo.',
  },
}

const en: AccountTexts = {
  title: 'Account',
  email: 'E-mail',
  access: 'Access',
  accesses: {
    admin: 'Admin: everything',
    finance: 'Finance: payments, refunds and money',
    support: 'Support: reads, and refunds up to a limit',
    auditor: 'Auditor: reads, the audit log included',
    owner: 'Owner: everything of the merchant',
    developer: 'Developer: payments, branches, webhooks and API keys',
    viewer: 'Read only',
  },
  logins: 'Password and logins',
  loginsText: 'If someone else may know your password, change it: your other logins end.',
  changePassword: 'Change password',
  newPassword: 'New password',
  passwordText: 'At least 12 characters. A phrase that only you know is safer than a word with symbols.',
  shortPassword: 'Use at least 12 characters.',
  weakPassword:
    'This password is easy to guess. Choose one that is less common and does not contain your e-mail address.',
  notChanged: 'The password could not be changed.',
  passwordChanged: 'Your password was changed. Your other logins have ended.',
  endOthers: {
    submit: 'End my other logins',
    text: 'Your logins in other browsers and on other devices end. This one goes on.',
    failed: 'They could not be ended.',
    done: 'Your other logins have ended.',
  },
  sendLink: {
    submit: 'I forgot my password',
    text: 'We mail you a link with which you choose another. It works once, within an hour, and its use ends all your logins.',
    failed: 'It could not be sent.',
    done: 'The link is on its way. Look at your mail.',
  },
}

export const accountTexts: Texts<AccountTexts> = { es, en }
