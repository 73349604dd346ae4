import { describe, expect, test } from 'vitest'
import { heapSizeFor, memoryLimit, watchForKills } from '../../../src/host/browser/memory.js'

const MB = 1024 * 1024
const GB = 1024 * MB

test.each([
  ["its container's memory less 250 MB for the browser", 512.9 * MB, 262],
  ['at least 64 MB', 128 * MB, 64],
  ["the browser's maximum", 64 * GB, 4_096],
])('the heap of a page may take %s', (_what, memory, heap) => {
  expect(heapSizeFor(memory)).toBe(heap)
})

test.each([
  ["the container's", 512 * MB, "the container's 512 MB"],
  ["the machine's where the container has no limit", 2 ** 63, "the machine's 8192 MB"],
  ["the machine's without a container", 0, "the machine's 8192 MB"],
])('the memory is %s', (_what, constrained, source) => {
  expect(memoryLimit({ read: () => undefined, constrained, total: 8 * GB }).source).toBe(source)
})

describe('an out-of-memory kill by the system', () => {
  const V2 = { '/proc/self/cgroup': '0::/pods/game\n' }
  const events = (kills: number): string => `low 0\noom 1\noom_kill ${kills}\noom_group_kill 0\n`

  test.each<[string, Record<string, string>, string, string]>([
    ['is detected by the counter of the group', V2, '/sys/fs/cgroup/pods/game/memory.events', 'full'],
    [
      'is detected by the counter of cgroup v1',
      { '/proc/self/cgroup': '5:cpu,cpuacct:/a\n4:memory:/pods/game\n0::/\n' },
      '/sys/fs/cgroup/memory/pods/game/memory.oom_control',
      'full',
    ],
    [
      'is detected where the container sees its group as the root, and a path of the host',
      { '/proc/self/cgroup': '0::/../../system.slice/x\n' },
      '/sys/fs/cgroup/memory.events',
      'full',
    ],
    ['is not read from the counter of other containers', V2, '/sys/fs/cgroup/pods/memory.events', ''],
  ])('%s', (_what, files, path, end) => {
    const texts: Record<string, string> = { ...files, [path]: events(3) }
    const whyKilled = watchForKills({ read: (name) => texts[name], constrained: 512 * MB, total: 8 * GB })
    expect(whyKilled()).toBe('')
    texts[path] = events(4)
    expect(whyKilled()).toBe(end && ": killed, since the container's 512 MB of memory were full")
  })

  test('is never reported if the system counts no kills', () => {
    expect(watchForKills({ read: () => undefined, constrained: 0, total: 8 * GB })()).toBe('')
  })
})
