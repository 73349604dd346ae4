import type { JSX } from 'preact'

export function App(): JSX.Element {
  return (
    <main>
      <h1>Sidecar</h1>
    </main>
  )
}
