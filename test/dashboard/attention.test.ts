import { signal } from '@preact/signals'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { PageStore } from '../../src/dashboard/store/create-store.js'
import { followState } from '../../src/dashboard/ui/attention.js'

test('the title names a fresh GameServer that is in the state of the old one', () => {
  const page = { title: '', querySelector: () => ({ href: '' }) }
  vi.stubGlobal('document', page)
  onTestFinished(() => void vi.unstubAllGlobals())
  const of = (name: string) => ({ gameServer: { object_meta: { name }, status: { state: 'Scheduled' } } })
  const snapshot = signal(of('local'))
  followState({ snapshot, connection: signal('open'), announce: () => undefined } as unknown as PageStore)
  expect(page.title).toMatch(/Scheduled · local$/)
  snapshot.value = of('local-x7k2p')
  expect(page.title).toMatch(/Scheduled · local-x7k2p$/)
})
