import '@cobro/look/tokens.css'
import './look/base.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'

const place = document.getElementById('app')
if (place)
  createRoot(place).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
