// The fields of a type, written and read in order: by reflection at first, by compiled code once the type is used often.
// Both use the same formatters in the same order, so that the bytes are the same. What a source generator made takes the place
// of both (GeneratedFields).
using System.Collections.Generic;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Threading;
using Pile.Memory;

namespace Pile.Codecs;

/// <summary>Fields of T, inherited ones too where T is a class. Thread-safe.</summary>
internal sealed class FieldSet<T>
{
    private readonly FieldInfo[] _fields;
    private readonly Formatter[] _formatters;
    private readonly PlanMember[] _members;
    private readonly bool _isList;
    private readonly GeneratedFields<T>? _generated;
    private FieldsWrite<T>? _write;
    private FieldsRead<T>? _read;
    private int _uses;

    /// <param name="fields">The fields, in order.</param>
    /// <param name="isWhole">Whether these are all fields of T: then generated access may take their place.</param>
    /// <param name="mayLoop">Whether a T is nothing but these fields, and not called: then a last field of type T is a list's.</param>
    internal FieldSet(IReadOnlyList<FieldInfo> fields, bool isWhole = true, bool mayLoop = false)
    {
        _fields = [.. fields];
        _generated = isWhole ? GeneratedFields<T>.For(fields) : null;
        _formatters = new Formatter[_fields.Length];
        _members = new PlanMember[_fields.Length];
        for (int index = 0; index < _fields.Length; index++)
        {
            _formatters[index] = Formatters.Of(_fields[index].FieldType);
            _members[index] = new PlanMember(TypeName.Of(_fields[index].DeclaringType!), TypeFields.NameOf(_fields[index]), _formatters[index], UnionCases.Of(typeof(T), _fields[index]));
        }

        _isList = mayLoop && _fields.Length > 0 && _formatters[^1].Kind == WireKind.Exact && _formatters[^1].Type == typeof(T);
    }

    /// <summary>Fields in all.</summary>
    internal int Count => _fields.Length;

    /// <summary>Their names and formatters.</summary>
    internal IReadOnlyList<PlanMember> Members => _members;

    /// <summary>The fields themselves.</summary>
    internal IReadOnlyList<FieldInfo> Fields => _fields;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Write(GraphWriter writer, ref T value)
    {
        if (_generated is { } generated && writer.Mode <= PlanMode.Generated)
        {
            generated.Write(new PileFieldWriter(writer), new PileFieldFormatters(_formatters, _isList), ref value);
        }
        else if (_write is { } write && writer.Mode != PlanMode.Reflection)
        {
            write(writer, ref value);
        }
        else
        {
            WriteByReflection(writer, ref value);
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Read(ref GraphReader reader, ref T value)
    {
        if (_generated is { } generated && reader.Table.Mode <= PlanMode.Generated)
        {
            generated.Read(ref RawValue.Renamed<GraphReader, PileFieldReader>(ref reader), new PileFieldFormatters(_formatters, _isList), ref value);
        }
        else if (_read is { } read && reader.Table.Mode != PlanMode.Reflection)
        {
            read(ref reader, ref value);
        }
        else
        {
            ReadByReflection(ref reader, ref value);
        }
    }

    private void WriteByReflection(GraphWriter writer, ref T value)
    {
        if (MayCompile(writer.Mode))
        {
            Write(writer, ref value);
            return;
        }

        object target = value!;
        for (int index = 0; index < _fields.Length; index++)
        {
            _formatters[index].WriteObject(writer, _fields[index].GetValue(target));
        }
    }

    private void ReadByReflection(ref GraphReader reader, ref T value)
    {
        if (MayCompile(reader.Table.Mode))
        {
            Read(ref reader, ref value);
            return;
        }

        object target = value!;
        for (int index = 0; index < _fields.Length; index++)
        {
            _fields[index].SetValue(target, _formatters[index].ReadObject(ref reader));
        }

        value = (T)target;
    }

    /// <summary>Compiles at once, or has it done in the background.</summary>
    /// <returns>Whether the compiled code is there now.</returns>
    private bool MayCompile(PlanMode mode)
    {
        if (mode == PlanMode.Reflection || !RuntimeFeature.IsDynamicCodeCompiled)
        {
            return false;
        }

        if (mode != PlanMode.Auto)
        {
            Compile();
            return true;
        }

        if (Interlocked.Increment(ref _uses) == CodecLimits.UsesBeforeCompiling)
        {
            _ = ThreadPool.UnsafeQueueUserWorkItem(static set => set.Compile(), this, preferLocal: false);
        }

        return false;
    }

    private void Compile()
    {
        Volatile.Write(ref _read, FieldEmitter.EmitRead<T>(_fields, _formatters, _isList));
        Volatile.Write(ref _write, FieldEmitter.EmitWrite<T>(_fields, _formatters, _isList));
    }
}
