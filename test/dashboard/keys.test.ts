import { expect, test, vi } from 'vitest'
import { KEYS } from '../../src/cli/keys.js'
import { createActions } from '../../src/dashboard/ui/actions.js'
import { createUi } from '../../src/dashboard/ui/ui.js'
import type { PageStore } from '../../src/dashboard/store/create-store.js'
import type { TimelineModel } from '../../src/dashboard/timeline/model.js'

vi.stubGlobal('document', {})

test('a letter that is a key of the terminal and of the dashboard means the same in both', () => {
  const labels = new Map(
    createActions({ isRecorded: false } as PageStore, createUi(), {} as TimelineModel).map(({ key, label }) => [
      key,
      label,
    ]),
  )
  const shared = KEYS.filter(([key]) => labels.has(key))
  expect(shared.map(([key]) => key)).toEqual(['a', 'A', 'u', 'w', 'x', 'f'])
  for (const [key, name] of shared) expect(labels.get(key)!.toLowerCase()).toContain(name)
})
