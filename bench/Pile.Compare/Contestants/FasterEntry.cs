using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using FASTER.core;
using Pile.Compare.Running;
using Pile.Compare.Workloads;

namespace Pile.Compare.Contestants;

/// <summary>FasterKV with long keys and SpanByte values, in memory. A touch looks at the value inside the reader function, without
/// a copy; a set of as many bytes writes in place where the record is mutable.</summary>
internal sealed class FasterEntry : IEntry
{
    public string Name => Entries.Faster;

    public int Order => 1;

    public string Guarantees => "a key index; spill to disk and checkpoints when asked for (here: none of it); a session for each thread";

    /// <summary>The package's: the assembly says 1.0.0.</summary>
    public string Version => "Microsoft.FASTER.Core " + typeof(FasterEntry).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>().First(pair => pair.Key == "FasterVersion").Value;

    public int Settings => FasterSetting.All.Count;

    public string Describe(int setting) => FasterSetting.All[setting].Name;

    public void Serve(ChildServer server) => server.Serve(new Store(FasterSetting.All[server.Setting], server.Objects));

    private sealed class Store(FasterSetting setting, int objects) : IContestant<Operations>
    {
        private readonly List<ClientSession<long, SpanByte, SpanByte, Output, Empty, Functions>> _sessions = [];
        private FasterKV<long, SpanByte> _store = setting.Open(objects);
        private long _firstKey;

        public Operations Begin()
        {
            lock (_sessions)
            {
                ClientSession<long, SpanByte, SpanByte, Output, Empty, Functions> session = _store.For(new Functions()).NewSession<Functions>();
                _sessions.Add(session);
                return new Operations(session, _firstKey);
            }
        }

        public void Clear()
        {
            EndSessions();
            if (setting.NextKeys)
            {
                _firstKey += objects;
                return;
            }

            _store.Dispose();
            GC.Collect();
            _store = setting.Open(objects);
        }

        public void Dispose()
        {
            EndSessions();
            _store.Dispose();
        }

        private void EndSessions()
        {
            _sessions.ForEach(session => session.Dispose());
            _sessions.Clear();
        }
    }

    private readonly struct Operations(ClientSession<long, SpanByte, SpanByte, Output, Empty, Functions> session, long firstKey) : IOperations
    {
        public long Put(int index, ReadOnlySpan<byte> payload)
        {
            long key = firstKey + index;
            Set(key, payload);
            return key;
        }

        public void Set(long handle, ReadOnlySpan<byte> payload)
        {
            var value = SpanByte.FromFixedSpan(payload);
            Check(session.Upsert(ref handle, ref value), mayBeNew: true);
        }

        public long CopyMany(ReadOnlySpan<long> handles, Span<byte> target) => Loops.CopyEach(this, handles, target);

        public int Copy(long handle, Span<byte> target)
        {
            SpanByte input = default;
            var output = new Output { Target = SpanByte.FromFixedSpan(target) };
            Check(session.Read(ref handle, ref input, ref output));
            return (int)output.Result;
        }

        public long Touch(long handle)
        {
            SpanByte input = default;
            Output output = default;
            Check(session.Read(ref handle, ref input, ref output));
            return output.Result;
        }

        private static void Check(Status status, bool mayBeNew = false)
        {
            if (status.IsPending || status.IsFaulted || status.IsCanceled || (status.NotFound && !mayBeNew))
            {
                throw new InvalidOperationException($"FasterKV answered {status}: not everything is in memory.");
            }
        }
    }

    /// <summary>Where a read copies to, if anywhere, and what it found.</summary>
    private struct Output
    {
        internal SpanByte Target;
        internal long Result;
    }

    private sealed class Functions : FunctionsBase<long, SpanByte, SpanByte, Output, Empty>
    {
        public override bool SingleReader(ref long key, ref SpanByte input, ref SpanByte value, ref Output dst, ref ReadInfo readInfo) => Read(ref value, ref dst);

        public override bool ConcurrentReader(ref long key, ref SpanByte input, ref SpanByte value, ref Output dst, ref ReadInfo readInfo) => Read(ref value, ref dst);

        public override bool SingleWriter(
            ref long key, ref SpanByte input, ref SpanByte src, ref SpanByte dst, ref Output output, ref UpsertInfo upsertInfo, WriteReason reason) =>
            Write(ref src, ref dst);

        public override bool ConcurrentWriter(ref long key, ref SpanByte input, ref SpanByte src, ref SpanByte dst, ref Output output, ref UpsertInfo upsertInfo) =>
            Write(ref src, ref dst);

        private static bool Read(ref SpanByte value, ref Output output)
        {
            ReadOnlySpan<byte> bytes = value.AsReadOnlySpan();
            if (output.Target.Length > 0)
            {
                bytes.CopyTo(output.Target.AsSpan());
                output.Result = bytes.Length;
            }
            else
            {
                output.Result = bytes[0] + bytes[^1];
            }

            return true;
        }

        private static bool Write(ref SpanByte source, ref SpanByte target)
        {
            if (target.Length < source.Length)
            {
                return false;
            }

            source.CopyTo(ref target);
            return true;
        }
    }
}
