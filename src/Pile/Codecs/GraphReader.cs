// Reads one graph from stored bytes: tags, references, deferred bodies. Whatever does not fit is PileCorruptedException;
// a type's number leads only to types that the program itself has shown to the pile (TypeTable).
// Recursion is bounded by the nesting limit; bodies of the tail are read one after the other.
using System;
using System.Runtime.CompilerServices;
using Pile.Primitives;

namespace Pile.Codecs;

/// <summary>The reader of a graph.</summary>
internal ref struct GraphReader
{
    /// <summary>The values.</summary>
    internal WireReader Wire;

    private readonly GraphContext _context;
    private int _depth;

    internal GraphReader(ReadOnlySpan<byte> payload, GraphContext context)
    {
        Wire = new WireReader(payload);
        _context = context;
    }

    /// <summary>How many objects that were gone over are being read inside each other.</summary>
    internal int Wanted { get; set; }

    /// <summary>Arrays around what is read next.</summary>
    internal int Depth
    {
        readonly get => _depth;
        set => _depth = value;
    }

    /// <summary>What reading collects.</summary>
    internal readonly GraphContext Context => _context;

    /// <summary>The numbers of types.</summary>
    internal readonly TypeTable Table => _context.Table;

    /// <summary>Reads an object that tells its type itself, or null.</summary>
    internal object? ReadAny()
    {
        int offset = Wire.Position;
        if (_context.Skipped is not null && TryTakeKnown(offset, out object? known))
        {
            return known;
        }

        byte code = Wire.Peek();
        if (code is >= WireCode.FixArray and < WireCode.FixText)
        {
            return ReadTagged(Wire.ReadArrayHeader(), offset);
        }

        switch (WireTypes.Of(code))
        {
            case WireType.Array:
                return ReadTagged(Wire.ReadArrayHeader(), offset);
            case WireType.Text:
                return ReadString();
            case WireType.Bool:
                return Registered(offset, Wire.ReadBool());
            case WireType.Integer:
                return Registered(offset, Wire.ReadInt32());
            case WireType.Double:
                return Registered(offset, Wire.ReadDouble());
            case WireType.Binary:
                ReadOnlySpan<byte> bytes = Wire.ReadBinary();
                _context.Charge(bytes.Length, offset);
                return Registered(offset, BinaryPlan.Own(bytes));
            case WireType.Extension:
                return ReadExtension(offset);
            case WireType.Nil when code == WireCode.Nil:
                _ = Wire.TryReadNil();
                return null;
            default:
                Throw.CorruptedValueOf($"byte 0x{code:x2} where an object belongs", offset);
                return null;
        }
    }

    /// <summary>Takes the header of a body that is read now and has few elements, which is the usual case.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryBeginBody(out int count)
    {
        count = 0;
        return _context.Skipped is null && Wire.TryReadShortHeader(out count);
    }

    /// <summary>Reads an object whose type is known from its place, or null.</summary>
    internal object? ReadExact(Plan plan)
    {
        int offset = Wire.Position;
        if (_context.Skipped is not null && TryTakeKnown(offset, out object? known))
        {
            return known;
        }

        byte code = Wire.Peek();
        if (code is >= WireCode.FixArray and < WireCode.FixText)
        {
            return ReadBody(plan, Wire.ReadArrayHeader(), null, offset);
        }

        switch (WireTypes.Of(code))
        {
            case WireType.Array:
                return ReadBody(plan, Wire.ReadArrayHeader(), null, offset);
            case WireType.Extension:
                return ReadExtension(offset);
            case WireType.Nil when code == WireCode.Nil:
                _ = Wire.TryReadNil();
                return null;
            default:
                Throw.CorruptedValueOf($"byte 0x{code:x2} where an object belongs", offset);
                return null;
        }
    }

    /// <summary>Reads a string or null.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal string? ReadString() => Wire.TryReadShortText() ?? ReadAnyString();

    [MethodImpl(MethodImplOptions.NoInlining)]
    private string? ReadAnyString()
    {
        int offset = Wire.Position;
        byte code = Wire.Peek();
        if (code == WireCode.Nil)
        {
            Wire.Position++;
            return null;
        }

        if (code is < WireCode.FixText or > WireCode.Nil && Wire.PeekExtension() == WireCode.Reference)
        {
            return ReadReference(offset) as string ?? throw WrongType(offset, typeof(string));
        }

        string text = Wire.ReadText();
        return text.Length >= CodecLimits.TrackedStringChars && _context.HasReferences ? RegisteredText(offset, text) : text;
    }

    /// <summary>A text that may be referred to. Inside an object that was gone over first it may have been read before, for itself.</summary>
    private readonly string RegisteredText(int offset, string text)
    {
        if (_context.Skipped is not null && _context.Find(offset) is string known)
        {
            return known;
        }

        _context.Register(offset, text);
        return text;
    }

    /// <summary>Reads the content of an object.</summary>
    internal object ReadBody(Plan plan, int count, object? hollow, int offset)
    {
        int depth = _depth;
        Enter();
        object value = plan.ReadContent(ref this, count, hollow, offset);
        _depth = depth;
        return value;
    }

    /// <summary>Reads a struct whose type is known from its place.</summary>
    internal void ReadInline<T>(ValuePlan<T> plan, ref T value)
        where T : struct
    {
        int count = Wire.ReadArrayHeader();
        int depth = _depth;
        Enter();
        plan.ReadValue(ref this, ref value, count);
        _depth = depth;
    }

    /// <summary>Remembers an object for references to come.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal readonly void Register(int offset, object value)
    {
        if (_context.HasReferences)
        {
            _context.Register(offset, value);
        }
    }

    /// <summary>Fails unless the header announced what the plan reads.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal readonly void Expect(int count, int expected)
    {
        if (count != expected)
        {
            Unexpected(count, expected);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private readonly void Unexpected(int count, int expected) =>
        Throw.CorruptedValueOf($"an array of {count:N0} elements where {expected:N0} belong", Wire.Position);

    /// <summary>The exception for an object of another type than its place can hold.</summary>
    internal static Exception WrongType(int offset, Type wanted) => new PileCorruptedException(
        $"A stored value is damaged: the object at byte {offset} is no {wanted}.");

    /// <summary>The exception for an object that its place can't hold: the place was of another type when it was put there, by itself or by a reference
    /// to where it stands.</summary>
    internal static PileTypeMismatchException Misfit(int offset, Type wanted, object found) => new(
        $"The object at byte {offset} was stored as {TypeName.Display(found.GetType())}, in a place that is of {TypeName.Display(wanted)}{(TypeName.Of(found.GetType()) == TypeName.Of(wanted) ? " of another load context" : " today")}. Describe and ToJson read it.");

    /// <summary>The same for a place whose one type is in the schema: a reference to an object of another is damage.</summary>
    internal readonly Exception ExactMisfit(int offset, Type wanted, object found)
    {
        WireReader at = Wire;
        at.Position = offset;
        return at.PeekExtension() == WireCode.Reference && TypeName.Of(found.GetType()) != TypeName.Of(wanted) ? WrongType(offset, wanted) : Misfit(offset, wanted, found);
    }

    private readonly object Registered(int offset, object value)
    {
        Register(offset, value);
        return value;
    }

    /// <summary>Ends what <see cref="Enter"/> began.</summary>
    internal void Leave() => _depth--;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private readonly void TooDeep() => Throw.CorruptedValueOf($"arrays nested deeper than {CodecLimits.NestingMax}", Wire.Position);

    /// <summary>Goes one array deeper.</summary>
    internal void Enter()
    {
        if (++_depth > CodecLimits.NestingMax)
        {
            TooDeep();
        }
    }

    /// <summary>An object inside one that was gone over first and is read now: it may have been read before, for itself.</summary>
    private bool TryTakeKnown(int offset, out object? known)
    {
        known = _context.Find(offset);
        if (known is not null)
        {
            Wire.Skip();
        }
        else if (Wire.PeekExtension() == WireCode.Forward && _context.Skipped!.ContainsKey(offset))
        {
            Wire.Skip();
            known = WantedObjects.ReadOne(ref this, offset, offset);
        }

        return known is not null;
    }

    /// <summary>Reads a body of the tail into the object that was handed out for it.</summary>
    internal void ReadDeferredBody(Deferred body)
    {
        int start = Wire.Position;
        int count = Wire.ReadArrayHeader();
        _ = ReadBody(body.Plan!, body.HasTag ? AfterTag(count) : count, body.Hollow, body.Offset);
        Check.That(Wire.Position > start);
    }

    private int AfterTag(int count)
    {
        _ = Wire.ReadInt32();
        return count - 1;
    }

    private object ReadTagged(int count, int offset)
    {
        if (count == 0)
        {
            Throw.CorruptedValue("an object without a type", offset);
        }

        TypeVersion version = Table.Version(Wire.ReadInt32());
        return ReadBody(version.Plan, count - 1, null, offset);
    }

    private object ReadExtension(int offset)
    {
        switch (Wire.PeekExtension())
        {
            case WireCode.Reference:
                return ReadReference(offset);
            case WireCode.Forward:
                return ReadForward(offset);
            case WireCode.Utf16:
                return ReadString()!;
            case WireCode.Block:
                object array = PrimitiveArrays.ReadBlock(ref this);
                return Registered(offset, array);
            default:
                Throw.CorruptedValueOf($"extension {Wire.PeekExtension()} where an object belongs", offset);
                return null!;
        }
    }

    private object ReadReference(int offset)
    {
        ReadOnlySpan<byte> bytes = Wire.ReadExtension(WireCode.Reference, -1);
        long target = 0;
        foreach (byte part in bytes.Length <= 4 ? bytes : [])
        {
            target = (target << 8) | part;
        }

        return _context.Find((int)target) ?? WantedObjects.Read(ref this, (int)target, offset);
    }

    private object ReadForward(int offset)
    {
        WireReader at = Wire;
        ReadOnlySpan<byte> bytes = at.ReadExtension(WireCode.Forward, -1);
        _context.Charge(64, offset);
        Deferred deferred = _context.Announce(Table.Version(new WireReader(bytes).ReadInt32()), offset);
        object hollow = MakeHollow(deferred);
        Wire = at;
        Register(offset, hollow);
        return hollow;
    }

    /// <summary>Makes the instance of a FWD that the reader stands at.</summary>
    internal object MakeHollow(Deferred deferred)
    {
        // Lengths may not reach beyond the extension, but are held against what remains of the payload.
        WireReader whole = Wire;
        ReadOnlySpan<byte> bytes = whole.ReadExtension(WireCode.Forward, -1);
        Plan plan = deferred.Version.Plan;
        if (!plan.CanDefer)
        {
            Throw.CorruptedValueOf($"a FWD of a {TypeName.Display(plan.Type)}, which is never put off", Wire.Position);
        }

        Wire.Position = whole.Position - bytes.Length;
        _ = Wire.ReadInt32();
        object hollow = plan.CreateHollow(ref this);
        if (Wire.Position != whole.Position)
        {
            Throw.CorruptedValue("a FWD of another length", Wire.Position);
        }

        deferred.HandOut(plan, hollow);
        return hollow;
    }
}
