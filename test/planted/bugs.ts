/** A mistake that somebody could make: one text of a source file is replaced, and these tests must then fail. */
export interface Bug {
  readonly name: string
  readonly file: string
  /** Stands in the file exactly once. */
  readonly find: string
  readonly replace: string
  /** Test files, each of which must fail. */
  readonly tests: readonly string[]
}

/** Ways to lose a workload, to wake it by mistake, or to let in who may not: each planted alone. */
export const BUGS: readonly Bug[] = [
  {
    name: 'the count is no precondition of a patch',
    file: 'src/domain/sleeping/field.ts',
    find: "return [{ op: 'test', path, value, ...found }]",
    replace: 'return []',
    tests: ['test/domain/workload/patch.test.ts'],
  },
  {
    name: 'the uid is no precondition of a patch',
    file: 'src/domain/workload/patch.ts',
    find: "[{ op: 'test', path: '/metadata/uid', value: workload.uid }]",
    replace: '[]',
    tests: ['test/domain/workload/patch.test.ts'],
  },
  {
    name: 'our annotations are no precondition of a patch',
    file: 'src/domain/workload/patch.ts',
    find: "tests.push({ op: 'test', path: annotationPath(name), value: workload.annotations[name] ?? null })",
    replace: 'void name',
    tests: ['test/domain/workload/patch.test.ts', 'test/kubernetes/patcher.test.ts'],
  },
  {
    name: 'a sleeper that a pin puts back keeps the count that it was found with',
    file: 'src/domain/deciding/drift.ts',
    find: 'const replicas = state.asleep ? counts.kept : counts.toKeep',
    replace: 'const replicas = counts.toKeep',
    tests: ['test/domain/deciding/properties.test.ts'],
  },
  {
    name: 'the kept count is overwritten by 0 when a sleeper goes to sleep again',
    file: 'src/domain/workload/counts.ts',
    find: 'return state.snoozed?.replicas ?? workload.replicas',
    replace: 'return workload.replicas',
    tests: ['test/domain/deciding/properties.test.ts', 'test/domain/deciding/kept-count.test.ts'],
  },
  {
    name: 'sleep scales a count of 0 up to n',
    file: 'src/domain/deciding/situation.ts',
    find: 'return Math.min(currentReplicas(this.workload), floorOf(this.reading), replicas)',
    replace: 'return floorOf(this.reading)',
    tests: ['test/domain/deciding/asleep-replicas.test.ts'],
  },
  {
    name: 'a forged state puts to sleep what runs with more than its settings let it sleep with',
    file: 'src/domain/workload/reading.ts',
    find: 'const sleeps = asleep && looksAsleep(workload, Math.min(floor, replicas))',
    replace: 'const sleeps = asleep && looksAsleep(workload, Math.min(snoozed?.rest ?? floor, replicas))',
    tests: ['test/domain/deciding/asleep-replicas.test.ts'],
  },
  {
    name: 'waking by hand to fewer lowers the kept count',
    file: 'src/domain/workload/counts.ts',
    find: 'stillKept: isLowered || (isScaled(workload) && replicas < kept) ? kept : undefined',
    replace: 'stillKept: undefined',
    tests: ['test/domain/deciding/kept-count.test.ts'],
  },
  {
    name: 'a request in the middle of a wave is "already" so',
    file: 'src/domain/requests/snooze-and-wake.ts',
    find: 'return desired(situation).want === want',
    replace: 'return [desired(situation).want, want].length === 2',
    tests: ['test/domain/requests/in-a-wave.test.ts'],
  },
  {
    name: 'a retry does not read again',
    file: 'src/kubernetes/patcher.ts',
    find: 'const before = workload\n      workload = await this.#readLive(key, options.signal)',
    replace: 'const before = workload',
    tests: ['test/kubernetes/patcher.test.ts'],
  },
  {
    name: 'a patch whose answer was lost counts as not carried out',
    file: 'src/kubernetes/patcher.ts',
    find: 'if (mayBeApplied && carries(workload, before, change)) {',
    replace: 'if (mayBeApplied && before === undefined) {',
    tests: ['test/kubernetes/patcher.test.ts'],
  },
  {
    name: 'the Event comes before its patch',
    file: 'src/kubernetes/patcher.ts',
    find: 'const inStatus = statusPatch(workload, change)',
    replace:
      "this.#copy.applied(this.#afterWrite(workload, change, { kind: 'PartialObjectMetadata', metadata: " +
      '{ ...workload, resourceVersion: String(Number(workload.resourceVersion) + 1) } } as never))\n' +
      '      const inStatus = statusPatch(workload, change)',
    tests: ['test/kubernetes/patcher.test.ts', 'test/service/controller/in-flight.test.ts'],
  },
  {
    name: 'a whole object is sent that is older than the copy it was planned on',
    file: 'src/kubernetes/delivered.ts',
    find: 'if (text?.resourceVersion !== resourceVersion) return undefined',
    replace: 'if (!text) return undefined',
    tests: ['test/kubernetes/delivered.test.ts'],
  },
  {
    name: 'the label is restored from memory although it disagreed with its state',
    file: 'src/domain/workload/restoring.ts',
    find: 'if (label === workload.labels?.[key] || !labelAgrees(known, key, rules)) return workload',
    replace: 'if (label === workload.labels?.[key]) return workload',
    tests: ['test/service/controller/last-known-marks.test.ts'],
  },
  {
    name: 'an old copy of the annotations is taken for news',
    file: 'src/domain/workload/restoring.ts',
    find: 'return isOldCopy ? RESTORABLE : undefined',
    replace: 'return undefined',
    tests: ['test/service/controller/last-known-marks.test.ts', 'test/domain/admission/update.test.ts'],
  },
  {
    name: 'a state that nobody signed is taken for news where its counter is higher',
    file: 'src/domain/workload/last-known.ts',
    find: "const isOldCopy = counter === 'unsigned' || (",
    replace: 'const isOldCopy = (',
    tests: ['test/domain/workload/tag.test.ts'],
  },
  {
    name: 'a state that nobody signed counts whole',
    file: 'src/domain/workload/reading.ts',
    find: "if (trust === undefined || trust === 'renew') return stored",
    replace: 'if (trust !== "no-history") return stored',
    tests: ['test/domain/workload/tag.test.ts'],
  },
  {
    name: 'a status update is taken for a manual wake',
    file: 'src/kubernetes/trim.ts',
    find: "if (owns(entry, field) && (entry.time ?? '') >= (newest?.time ?? '')) newest = entry",
    replace:
      "if ((entry.time ?? '') >= (newest?.time ?? '')) newest = { ...entry, subresource: entry.subresource && 'scale' }",
    tests: ['test/kubernetes/trim.test.ts'],
  },
  {
    name: "an autoscaler's scaling is taken for a manual wake",
    file: 'src/domain/deciding/scaling.ts',
    find: 'if (scaler === undefined || AUTOSCALERS.has(scaler)) return false',
    replace: 'if (scaler === undefined) return false',
    tests: ['test/domain/deciding/decision-rules.test.ts', 'test/domain/deciding/kept-count.test.ts'],
  },
  {
    name: 'an older copy replaces a newer one',
    file: 'src/kubernetes/versioned-store.ts',
    find: 'if (before && order < 0 && !outranks(before.resourceVersion)) return',
    replace: 'if (before && order < 0 && outranks(before.resourceVersion)) return',
    tests: ['test/kubernetes/workload-store.test.ts', 'test/kubernetes/informer.test.ts'],
  },
  {
    name: 'what a new list lacks is kept for ever',
    file: 'src/kubernetes/reflector.ts',
    find: 'sink.retain(listed, outranks, version)',
    replace: 'void outranks',
    tests: ['test/kubernetes/informer-list.test.ts', 'test/kubernetes/informer.test.ts'],
  },
  {
    name: 'a watch goes on from a version that has expired',
    file: 'src/kubernetes/reflector.ts',
    find: "new Set(['expired', 'unreadable'])",
    replace: "new Set(['unreadable'])",
    tests: ['test/kubernetes/informer.test.ts'],
  },
  {
    name: 'a watch goes on from the list, not from its last event',
    file: 'src/kubernetes/continuity.ts',
    find: '< 0) return\n    this.#from = version\n',
    replace: '< 0) return\n',
    tests: ['test/kubernetes/informer.test.ts'],
  },
  {
    name: "an edge's intent is dated at the write",
    file: 'src/domain/deciding/intent.ts',
    find: 'return { intent: { ...newIntent(situation, { want, by: null, trigger }), at: edge } }',
    replace: 'return { intent: newIntent(situation, { want, by: null, trigger }) }',
    tests: ['test/domain/deciding/intents.test.ts'],
  },
  {
    name: 'a replica whose clock lags speaks in the past',
    file: 'src/domain/deciding/intent.ts',
    find: 'at: Math.max(now, (replaced?.at ?? 0) + 1)',
    replace: 'at: now',
    tests: ['test/domain/deciding/intents.test.ts'],
  },
  {
    name: 'flapping is never slowed down',
    file: 'src/domain/deciding/backoff.ts',
    find: 'return { ...rest, backoff: flapping(state, now, policy) }',
    replace: 'return flapping(state, now, policy).times > 0 ? rest : state',
    tests: ['test/domain/deciding/backoff.test.ts'],
  },
  {
    name: 'a candidate takes the Lease from a live holder',
    file: 'src/service/leadership/lease-candidate.ts',
    find: 'if (isLive && !this.#mayForce) return',
    replace: 'if (isLive && this.#mayForce) return',
    tests: ['test/service/leadership/leader-election.test.ts'],
  },
  {
    name: 'a workload is written without end',
    file: 'src/service/controller/write-budget.ts',
    find: 'if (oldest === undefined || account.writes.length < this.limit) return undefined',
    replace: 'if (oldest === undefined || this.limit > 0) return undefined',
    tests: [
      'test/service/controller/write-budget.test.ts',
      'test/service/controller/controller-budget.test.ts',
    ],
  },
  {
    name: 'excluded namespaces are acted on',
    file: 'src/service/controller/controller.ts',
    find: 'if (!this.#running || !workload || this.#settings.excludeNamespaces.has(workload.namespace)) return',
    replace: 'if (!this.#running || !workload) return',
    tests: ['test/service/controller/controller.test.ts'],
  },
  {
    name: '`aud` is compared by prefix',
    file: 'src/service/auth/jwt.ts',
    find: '      audience: expected.audience,\n',
    replace:
      "      audience: String(decodeJwt(token).aud).startsWith(expected.audience) ? String(decodeJwt(token).aud) : '',\n",
    tests: ['test/service/auth/local-token.test.ts'],
  },
  {
    name: 'any algorithm verifies a token',
    file: 'src/service/auth/jwt.ts',
    find: '      algorithms: [...expected.algorithms],\n',
    replace: '',
    tests: ['test/service/auth/oidc.test.ts'],
  },
  {
    name: 'a namesake of an exempt account is exempt',
    file: 'src/service/webhook/decide.ts',
    find: 'if (exemptUsers.has(username)) return true',
    replace: 'if ([...exemptUsers].some((exempt) => username.startsWith(exempt))) return true',
    tests: ['test/service/webhook/scale.test.ts'],
  },
  {
    name: 'a pin does not hold against an update of the object',
    file: 'src/domain/admission/count.ts',
    find: 'if (hold) return keepsCount(update, hold)',
    replace: 'void keepsCount',
    tests: ['test/domain/admission/update.test.ts'],
  },
  {
    name: 'the webhook configuration is fought for without a rest',
    file: 'src/kubernetes/registration/overwrite-backoff.ts',
    find: 'const beyond = this.#times - TOLERATED',
    replace: 'const beyond = TOLERATED - this.#times - TOLERATED',
    tests: ['test/kubernetes/registration/overwrite-backoff.test.ts'],
  },
  {
    name: 'sleep is harmless on a copy that is behind, and deletes volumes',
    file: 'src/domain/workload/patch.ts',
    find: "tests.push({ op: 'test', path: WHEN_SCALED, value: workload.keepsVolumesBy })",
    replace: 'void 0',
    tests: ['test/domain/workload/patch.test.ts'],
  },
  {
    name: 'what is told late brings back what was deleted and created again',
    file: 'src/kubernetes/versioned-store.ts',
    find: 'if (before && order < 0 && !outranks(before.resourceVersion)) return',
    replace: 'if (before?.uid === object.uid && order < 0 && !outranks(before.resourceVersion)) return',
    tests: ['test/kubernetes/workload-store.test.ts'],
  },
  {
    name: 'what is told late deletes what was created again',
    file: 'src/kubernetes/versioned-store.ts',
    find: 'if (uid !== before.uid && isOlder({ resourceVersion }, before)) return',
    replace: 'void [uid, resourceVersion]',
    tests: ['test/kubernetes/workload-store.test.ts'],
  },
  {
    name: 'what was disabled sleeps until the end that a wrong clock gave its backoff',
    file: 'src/domain/deciding/operation.ts',
    find: 'reading.enabled === true || (reading.enabled === false && state.asleep)',
    replace: 'reading.enabled === true',
    tests: ['test/domain/deciding/backoff.test.ts'],
  },
  {
    name: 'a patch of a deleted object counts as carried out on its namesake',
    file: 'src/kubernetes/patcher.ts',
    find: 'live.uid === sentFor.uid &&',
    replace: '',
    tests: ['test/kubernetes/patcher.test.ts'],
  },
  {
    name: 'our own answer replaces what the watch told of the same version',
    file: 'src/kubernetes/versioned-store.ts',
    find: 'if (compareVersions(written.resourceVersion, before.resourceVersion) <= 0) return',
    replace: 'if (compareVersions(written.resourceVersion, before.resourceVersion) < 0) return',
    tests: ['test/kubernetes/workload-store.test.ts'],
  },
  {
    name: 'pods that followed an earlier operation end the next',
    file: 'src/kubernetes/workload-store.ts',
    find: 'restated ? undefined : (before.pods.followedBefore ?? earlier)',
    replace: 'before.pods.followedBefore ?? earlier',
    tests: ['test/kubernetes/workload-store.test.ts'],
  },
]
