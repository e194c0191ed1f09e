// Writes each event of Node's test runner that says how a test ended, as soon as it comes.
import fs from 'node:fs'

const MESSAGE = 2000
const FILTERS = /^--test-(only|name-pattern|skip-pattern|shard)\b/
const KINDS = {
  'test:enqueue': 'queued',
  'test:start': 'begin',
  'test:pass': 'pass',
  'test:fail': 'fail',
}
const report = new URL(import.meta.url).searchParams.get('report')

export default async function* ralph(source) {
  const handle = fs.openSync(report, 'a')
  const write = (line) => fs.writeSync(handle, JSON.stringify(line) + '\n')
  write({ kind: 'start', filtered: process.execArgv.some((word) => FILTERS.test(word)) })
  for await (const { type, data } of source) {
    const kind = KINDS[type]
    if (kind) write({ kind, ...facts(data) })
  }
  write({ kind: 'end' })
}

function facts(data) {
  const { error, type = 'test', duration_ms: spent = 0 } = data.details ?? {}
  return {
    name: String(data.name),
    nesting: data.nesting,
    file: data.file ?? '',
    type,
    skip: isSet(data.skip),
    todo: isSet(data.todo),
    seconds: spent / 1000,
    failure: String(error?.failureType ?? ''),
    message: said(error),
  }
}

function isSet(value) {
  return value !== undefined && value !== false
}

function said(error) {
  const cause = error?.cause ?? error
  if (cause === undefined || cause === null) return ''
  return String(cause.message ?? cause).slice(0, MESSAGE)
}
