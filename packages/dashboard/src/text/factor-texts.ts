import type { Texts } from './locale.tsx'

interface FactorTexts {
  title: string
  on: string
  off: string
  since: string
  codesLeft: (count: number) => string
  fewCodes: string
  required: string
  setUp: string
  setUpText: string
  proceed: string
  scan: string
  qrCode: string
  secret: string
  code: string
  confirm: string
  wrongCode: string
  remove: string
  removeText: string
  failed: string
}

const es: FactorTexts = {
  title: 'Segundo factor',
  on: 'Activo',
  off: 'Con él, entrar pide además un código de una aplicación en tu teléfono.',
  since: 'Desde',
  codesLeft: count =>
    count === 1 ? 'Te queda 1 código de recuperación.' : `Te quedan ${count} códigos de recuperación.`,
  fewCodes: 'Para tener códigos nuevos, quita el segundo factor y configúralo otra vez.',
  required: 'Tu acceso lo exige: no se puede quitar.',
  setUp: 'Configurar',
  setUpText:
    'Ten a la mano una aplicación de códigos, como la de tu administrador de contraseñas. Al terminar se cierran tus otras sesiones.',
  proceed: 'Continuar',
  scan: 'Escanea el código con tu aplicación, o agrega en ella la clave.',
  qrCode: 'Código QR para tu aplicación',
  secret: 'Clave',
  code: 'Código',
  confirm: 'Activar',
  wrongCode: 'El código no es correcto. Espera al siguiente.',
  remove: 'Quitar',
  removeText: 'Entrar pedirá solo tu contraseña. Escribe un código de tu aplicación, o uno de recuperación.',
  failed: 'No se pudo hacer el cambio.',
}

const en: FactorTexts = {
  title: 'Second factor',
  on: 'Active',
  off: 'With it, a login also asks for a code of an app on your phone.',
  since: 'Since',
  codesLeft: count => (count === 1 ? 'You have 1 recovery code left.' : `You have ${count} recovery codes left.`),
  fewCodes: 'For new codes, remove the second factor and set it up again.',
  required: 'Your access demands it: it cannot be removed.',
  setUp: 'Set up',
  setUpText:
    'Have an authenticator app ready, such as that of your password manager. Your other logins end when you are done.',
  proceed: 'Continue',
  scan: 'Scan the code with your app, or add the key to it.',
  qrCode: 'QR code for your app',
  secret: 'Key',
  code: 'Code',
  confirm: 'Turn on',
  wrongCode: 'The code is wrong. Wait for the next one.',
  remove: 'Remove',
  removeText: 'A login will ask for your password alone. Enter a code of your app, or a recovery code.',
  failed: 'The change could not be made.',
}

export const factorTexts: Texts<FactorTexts> = { es, en }
