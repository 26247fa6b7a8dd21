import { beforeEach, describe, expect, it, vi } from "vitest";
import { type Failure, ServerError, Unreachable } from "../src/assess/judgment/api";
import { entryPoint, grade, highlight, operation, plain, unhighlight, viewOf } from "../src/assess/judgment/operations";
import { Queue, unsavedDocuments } from "../src/assess/judgment/queue";
import { type Listener, Sync } from "../src/assess/judgment/sync";
import type { OperationData, OperationsReply } from "../src/shared/api-types";
import { Points } from "../src/shared/points";
import { reply, Storage, SUBJECT, state } from "./samples";

let storage: Storage;

beforeEach(() => {
  storage = new Storage();
  vi.stubGlobal("localStorage", storage);
});

describe("operations", () => {
  it("quote the text by code points", () => {
    const points = new Points("a😀b and more");
    expect(highlight(points, [1, 3])).toEqual({ kind: "highlight", start: 1, end: 3, quote: "😀b" });
    expect(unhighlight(points, [0, 1])).toEqual({ kind: "unhighlight", start: 0, end: 1, quote: "a" });
  });

  it("quote at most 32 characters after a best entry point", () => {
    expect(entryPoint(new Points("😀".repeat(40)), 2)).toMatchObject({ start: 2, quote: "😀".repeat(32) });
    expect(entryPoint(new Points("short"), 4)).toMatchObject({ start: 4, quote: "t" });
  });

  it("send length and hash instead of a quote above 4 KiB", () => {
    expect(highlight(new Points("x".repeat(4096)), [0, 4096]).quote).toHaveLength(4096);
    const points = new Points(`${"é".repeat(2048)}😀`);
    const long = highlight(points, [0, 2049]);
    expect(long).toMatchObject({ quote_length: 2049 });
    expect(long).not.toHaveProperty("quote");
    // python -c "import hashlib; print(hashlib.sha256(('é' * 2048 + '😀').encode()).hexdigest())"
    expect(long.quote_sha256).toBe("ae1e92f5488bc9eedb2e8abe588e02880d8330428516baf1f5feade8f09c9b3c");
  });

  it("have ids of their own", () => {
    const [first, second] = [operation(plain("undo"), 3), operation(plain("undo"), 3)];
    expect(first.op_id).toMatch(/^[0-9a-f]{32}$/);
    expect(first.op_id).not.toBe(second.op_id);
    expect(first.base_version).toBe(3);
  });
});

describe("the view before the server has answered", () => {
  const points = new Points("0123456789");
  const view = (...gestures: Parameters<typeof operation>[0][]) =>
    viewOf(
      state({ highlights: [[0, 4]], grades: { "/a[1]": 2 }, bep: 1 }),
      gestures.map((gesture, at) => operation(gesture, at)),
    );

  it("is the server's state without gestures", () => {
    expect(view()).toMatchObject({ highlights: [[0, 4]], pending: [], removing: [], bep: 1 });
  });

  it("joins touching highlights and shows which part is pending", () => {
    expect(view(highlight(points, [4, 6]))).toMatchObject({ highlights: [[0, 6]], pending: [[4, 6]] });
  });

  it("shows what is being removed, until it is highlighted again", () => {
    const removed = view(unhighlight(points, [1, 3]));
    expect(removed).toMatchObject({
      highlights: [
        [0, 1],
        [3, 4],
      ],
      removing: [[1, 3]],
    });
    const again = view(unhighlight(points, [1, 3]), highlight(points, [0, 4]));
    expect(again).toMatchObject({ highlights: [[0, 4]], removing: [] });
  });

  it("has grades, best entry point, note and problem of the gestures", () => {
    const changed = view(grade("/a[1]", null), grade("/b[1]", [3, 1]), plain("note", "odd"), plain("problem", true));
    expect(changed).toMatchObject({ grades: { "/b[1]": [3, 1] }, note: "odd", problem: true });
    expect(view(plain("clear-bep")).bep).toBeNull();
    expect(view(plain("clear-bep"), entryPoint(points, 5)).bep).toBe(5);
  });
});

describe("the queue", () => {
  const add = (queue: Queue, version: number): OperationData => {
    const made = operation(plain("undo"), version);
    queue.add(made);
    return made;
  };

  it("survives the page, for the user and the document that it belongs to", () => {
    const made = add(new Queue(SUBJECT, "ann"), 1);
    expect(new Queue(SUBJECT, "ann").operations).toEqual([made]);
    expect(new Queue(SUBJECT, "bob").length).toBe(0);
    expect(new Queue({ ...SUBJECT, judge: "adjudicated" }, "ann").length).toBe(0);
    expect(unsavedDocuments("ann")).toEqual([{ subject: SUBJECT, count: 1 }]);
    expect(unsavedDocuments("bob")).toEqual([]);
  });

  it("keeps what another tab of the document has put there", () => {
    const [here, there] = [new Queue(SUBJECT, "ann"), new Queue(SUBJECT, "ann")];
    const first = add(there, 1);
    const second = add(here, 1);
    here.dropFirst(1);
    expect(new Queue(SUBJECT, "ann").operations).toEqual([first]);
    expect(here.operations).toEqual([]);
    expect(second.op_id).not.toBe(first.op_id);
    there.clear();
    expect(storage.kept).toEqual({});
  });

  it("numbers its operations one after the other", () => {
    const queue = new Queue(SUBJECT, "ann");
    for (const version of [1, 2, 3]) add(queue, version);
    queue.renumber(8);
    expect(queue.operations.map((made) => made.base_version)).toEqual([8, 9, 10]);
  });

  it("says so when the browser keeps nothing, and works on", () => {
    const queue = new Queue(SUBJECT, "ann");
    storage.isFull = true;
    add(queue, 1);
    expect([queue.isKept, queue.length]).toEqual([false, 1]);
    storage.isFull = false;
    add(queue, 2);
    expect([queue.isKept, new Queue(SUBJECT, "ann").length]).toEqual([true, 2]);
  });

  it("minds no rubbish in the storage", () => {
    storage.setItem('doxeval-queue ["ann","7","a",""]', "{oops");
    storage.setItem("something else", "[1]");
    expect(new Queue(SUBJECT, "ann").length).toBe(0);
    expect(unsavedDocuments("ann")).toEqual([]);
  });
});

describe("saving", () => {
  /** A server that gives these answers first, and a page that listens. */
  function saving(...answers: (OperationsReply | Error)[]) {
    const server = { isUp: true, probes: 0 };
    const sent: OperationData[][] = [];
    const events: string[] = [];
    const send = (operations: OperationData[]): Promise<OperationsReply> => {
      sent.push(operations);
      const answer = answers.shift() ?? reply((operations.at(-1)?.base_version ?? 0) + 1);
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    };
    const queue = new Queue(SUBJECT, "ann");
    const listener: Listener = {
      judged: ({ version }) => events.push(`judged ${version}`),
      changed: () => {},
      refused: ({ kind }, message) => events.push(`refused ${kind}: ${message}`),
      stopped: (obstacle) => events.push(`stopped ${obstacle}`),
    };
    const isReachable = () => {
      server.probes++;
      return Promise.resolve(server.isUp);
    };
    const sync = new Sync(queue, 1, send, listener, isReachable);
    return { sync, queue, sent, events, server };
  }

  const failure = (status: number, code = "", changes: Partial<Failure> = {}, retryAfter: number | null = null) =>
    new ServerError(status, { error: `no (${status})`, code, ...changes }, retryAfter);
  const numbers = (batches: OperationData[][]) => batches.map((batch) => batch.map((made) => made.base_version));

  beforeEach(() => {
    vi.useFakeTimers();
    return () => vi.useRealTimers();
  });

  it("sends each gesture at once and gives its reply", async () => {
    const { sync, queue, sent, events } = saving();
    const answer = await sync.submit(plain("undo"));
    expect(answer?.version).toBe(2);
    expect([queue.length, numbers(sent), events]).toEqual([0, [[1]], ["judged 2"]]);
  });

  it("sends gestures that were made meanwhile together, numbered consecutively", async () => {
    const { sync, sent } = saving();
    const all = [sync.submit(plain("undo")), sync.submit(plain("undo")), sync.submit(plain("undo"))];
    await Promise.all(all);
    expect(numbers(sent)).toEqual([[1], [2, 3]]);
  });

  it("sends within a second of the server's return, however long it was away", async () => {
    const { sync, queue, sent, events, server } = saving(new Unreachable());
    server.isUp = false;
    const outcome = sync.submit(plain("undo"));
    await vi.advanceTimersByTimeAsync(600_000);
    expect([sync.obstacle, queue.length, sent.length, server.probes]).toEqual(["offline", 1, 1, 600]);
    server.isUp = true;
    await vi.advanceTimersByTimeAsync(1_000);
    expect((await outcome)?.version).toBe(2);
    expect([sync.obstacle, queue.length, sent.length]).toEqual([null, 0, 2]);
    expect(events).toEqual(["stopped offline", "judged 2"]);
  });

  it("asks no more once somebody else has tried", async () => {
    const { sync, sent, server } = saving(new Unreachable());
    server.isUp = false;
    void sync.submit(plain("undo"));
    await vi.advanceTimersByTimeAsync(5_000);
    sync.retry(); // the browser is online again
    await vi.advanceTimersByTimeAsync(60_000);
    expect([sent.length, server.probes]).toEqual([2, 5]);
  });

  it("waits longer and longer while the server answers, but takes nothing, and loses nothing", async () => {
    const { sync, queue, sent, events } = saving(...Array.from({ length: 8 }, () => new Unreachable()));
    const outcome = sync.submit(plain("undo"));
    await vi.advanceTimersByTimeAsync(0);
    expect([sync.obstacle, queue.length, sent.length]).toEqual(["offline", 1, 1]);
    for (const [seconds, tries] of [
      [1, 2],
      [2, 3],
      [4, 4],
      [8, 5],
      [16, 6],
      [30, 7],
      [30, 8],
      [30, 9],
    ] as const) {
      await vi.advanceTimersByTimeAsync(seconds * 1000 - 1);
      expect(sent.length).toBe(tries - 1);
      await vi.advanceTimersByTimeAsync(1);
      expect(sent.length).toBe(tries);
    }
    expect((await outcome)?.version).toBe(2);
    expect([sync.obstacle, queue.length]).toEqual([null, 0]);
    expect(events).toEqual(["stopped offline", "judged 2"]);
  });

  it("tries again at once on request, and when the server said", async () => {
    const { sync, sent } = saving(failure(503, "", {}, 7), new Unreachable());
    const outcome = sync.submit(plain("undo"));
    await vi.advanceTimersByTimeAsync(6_999);
    expect(sent.length).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(sent.length).toBe(2);
    sync.retry();
    expect((await outcome)?.version).toBe(2);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sent.length).toBe(3);
  });

  it("drops a gesture that the rules refuse, and renumbers those after it", async () => {
    const { sync, sent, events } = saving(reply(2), failure(422, "rule", { ...reply(3), applied: 1 }));
    const all = ["undo", "validate", "redo", "undo"] as const;
    const outcomes = await Promise.all(all.map((kind) => sync.submit(plain(kind))));
    expect(outcomes.map((outcome) => outcome?.version ?? null)).toEqual([2, 3, null, 4]);
    expect(numbers(sent)).toEqual([[1], [2, 3, 4], [3]]);
    expect(events).toEqual(["judged 2", "judged 3", "refused redo: no (422)", "judged 4"]);
  });

  it("finds out which of many gestures spoils a request", async () => {
    const { sync, sent, events } = saving(reply(2), failure(413), reply(3), failure(413));
    const outcomes = await Promise.all([1, 2, 3, 4].map(() => sync.submit(plain("undo"))));
    expect(outcomes.map((outcome) => outcome !== null)).toEqual([true, true, false, true]);
    expect(numbers(sent)).toEqual([[1], [2, 3, 4], [2], [3], [3]]);
    expect(events).toContain("refused undo: no (413)");
  });

  it("stops at a conflict until the user has chosen", async () => {
    const { sync, queue, sent, events } = saving(failure(409, "version", { ...reply(5), applied: 0 }));
    const outcome = sync.submit(plain("undo"));
    await vi.advanceTimersByTimeAsync(60_000);
    expect([sync.obstacle, queue.length, sent.length]).toEqual(["conflict", 1, 1]);
    expect(events).toEqual(["stopped conflict"]); // the page keeps showing what its user saw
    sync.retry();
    expect(sent.length).toBe(1);
    sync.reapply(5);
    expect((await outcome)?.version).toBe(6);
    expect(numbers(sent)).toEqual([[1], [5]]);
  });

  it("forgets the gestures if the saved version stands", async () => {
    const { sync, queue } = saving(failure(409, "version", { ...reply(5), applied: 0 }));
    const outcome = sync.submit(plain("undo"));
    await vi.advanceTimersByTimeAsync(0);
    sync.discard(5);
    expect(await outcome).toBeNull();
    expect([sync.obstacle, queue.length]).toEqual([null, 0]);
    expect((await sync.submit(plain("undo")))?.version).toBe(6);
  });

  it.each([
    [401, "", "signed-out"],
    [409, "quote", "text"],
    [409, "user", "user"],
    [423, "", "closed"],
    [403, "", "forbidden"],
    [404, "", "forbidden"],
  ])("keeps gestures at status %i %s: %s", async (status, code, obstacle) => {
    const { sync, queue, events } = saving(failure(status, code));
    void sync.submit(plain("undo"));
    await vi.advanceTimersByTimeAsync(60_000);
    expect([sync.obstacle, queue.length, events]).toEqual([obstacle, 1, [`stopped ${obstacle}`]]);
    expect(new Queue(SUBJECT, "ann").length).toBe(1);
  });

  it("sends at most 200 gestures and 250,000 characters at once", async () => {
    const { sync, sent } = saving();
    const all = Array.from({ length: 402 }, () => sync.submit(plain("undo")));
    await Promise.all(all);
    expect(sent.map((batch) => batch.length)).toEqual([1, 200, 200, 1]);
    sent.length = 0;
    await Promise.all(Array.from({ length: 4 }, () => sync.submit(plain("note", "x".repeat(100_000)))));
    expect(sent.map((batch) => batch.length)).toEqual([1, 2, 1]);
  });
});
