import type { JSX } from 'preact'
import type { Store } from '../store/store.js'
import type { Ui } from '../ui/ui.js'

export function Panels(_props: { store: Store; ui: Ui }): JSX.Element {
  return <></>
}
