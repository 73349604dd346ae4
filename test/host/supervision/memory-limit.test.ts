import { describe, expect, test } from 'vitest'
import { defaultMemoryLimit, heapSizeFor, watchForKills } from '../../../src/node/host/supervision/memory-limit.js'

const MB = 1024 * 1024
const GB = 1024 * MB

const limitOf = (files: Readonly<Record<string, string>>, total = 8 * GB): string => {
  const { bytes, source } = defaultMemoryLimit({ read: (path) => files[path], total })
  return `${bytes / MB} of ${source}`
}

describe('a page may take', () => {
  test.each<[string, Record<string, string>, string]>([
    [
      "its container's memory less 250 MB",
      { '/proc/self/cgroup': '0::/\n', '/sys/fs/cgroup/memory.max': `${512 * MB}\n` },
      "262 of the container's 512 MB",
    ],
    [
      'the lowest limit of all parent groups',
      {
        '/proc/self/cgroup': '0::/kubepods/pod1/container\n',
        '/sys/fs/cgroup/kubepods/pod1/container/memory.max': 'max\n',
        '/sys/fs/cgroup/kubepods/pod1/memory.max': `${600 * MB}\n`,
        '/sys/fs/cgroup/kubepods/memory.max': `${4 * GB}\n`,
      },
      "350 of the container's 600 MB",
    ],
    [
      'the limit of its own group, inside of groups without a limit',
      {
        '/proc/self/cgroup': '0::/system.slice/game.service\n',
        '/sys/fs/cgroup/system.slice/game.service/memory.max': `${700 * MB}\n`,
        '/sys/fs/cgroup/system.slice/memory.max': 'max\n',
      },
      "450 of the container's 700 MB",
    ],
    [
      'what a container may that sees its group as the root, and a path of the host',
      { '/proc/self/cgroup': '0::/../../system.slice/x\n', '/sys/fs/cgroup/memory.max': `${512 * MB}\n` },
      "262 of the container's 512 MB",
    ],
    [
      'what the former kind of groups says',
      {
        '/proc/self/cgroup': '5:cpu,cpuacct:/a\n4:memory:/docker/abc\n0::/\n',
        '/sys/fs/cgroup/memory/memory.limit_in_bytes': `${1024 * MB}\n`,
      },
      "774 of the container's 1024 MB",
    ],
    [
      "the machine's memory where no group has a limit",
      {
        '/proc/self/cgroup': '4:memory:/a\n0::/\n',
        '/sys/fs/cgroup/memory.max': 'max\n',
        '/sys/fs/cgroup/memory/a/memory.limit_in_bytes': '9223372036854771712\n',
      },
      "7942 of the machine's 8192 MB",
    ],
    ['the same if there are no groups', {}, "7942 of the machine's 8192 MB"],
    [
      'the same if the files are malformed',
      { '/proc/self/cgroup': 'x\n0::\n', '/sys/fs/cgroup/memory.max': '-1 what\n' },
      "7942 of the machine's 8192 MB",
    ],
    [
      'at least 64 MB',
      { '/proc/self/cgroup': '0::/\n', '/sys/fs/cgroup/memory.max': `${128 * MB}\n` },
      "64 of the container's 128 MB",
    ],
  ])('%s', (_what, files, limit) => {
    expect(limitOf(files)).toBe(limit)
  })

  test('at least 64 MB on this machine', () => {
    expect(defaultMemoryLimit().bytes).toBeGreaterThanOrEqual(64 * MB)
  })
})

test('the heap limit of a page is its memory limit in whole MB, up to the browser’s maximum', () => {
  expect(heapSizeFor(262.9 * MB)).toBe(262)
  expect(heapSizeFor(64 * GB)).toBe(4_096)
  expect(heapSizeFor(1)).toBe(1)
})

describe('an out-of-memory kill by the system', () => {
  const V2 = { '/proc/self/cgroup': '0::/pods/game\n', '/sys/fs/cgroup/pods/game/memory.max': `${512 * MB}\n` }
  const V1 = {
    '/proc/self/cgroup': '4:memory:/pods/game\n0::/\n',
    '/sys/fs/cgroup/memory/pods/game/memory.limit_in_bytes': `${512 * MB}\n`,
  }
  const events = (kills: number): string => `low 0\noom 1\noom_kill ${kills}\noom_group_kill 0\n`

  test.each<[string, Record<string, string>, string, string]>([
    ['is detected by the counter of the group', V2, '/sys/fs/cgroup/pods/game/memory.events', 'full'],
    ['is detected by the counter of cgroup v1', V1, '/sys/fs/cgroup/memory/pods/game/memory.oom_control', 'full'],
    ['is not read from the counter of other containers', V2, '/sys/fs/cgroup/pods/memory.events', ''],
  ])('%s', (_what, files, path, end) => {
    const own = '/sys/fs/cgroup/pods/game/memory.events'
    const texts: Record<string, string> = { [own]: events(0), ...files, [path]: events(3) }
    const whyKilled = watchForKills({ read: (name) => texts[name], total: 8 * GB })
    expect(whyKilled()).toBe('')
    texts[path] = events(4)
    expect(whyKilled()).toBe(end && ": killed, since the container's 512 MB of memory were full")
  })

  test('is never reported if the system counts no kills', () => {
    expect(watchForKills({ read: () => undefined, total: 8 * GB })()).toBe('')
  })
})
