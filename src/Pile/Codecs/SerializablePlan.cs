// ISerializable: an object gives names and values and is built from them by its own constructor, on the instance that may
// have been handed out before. Built last, after everything that its values refer to.
// A class without that constructor, below one that has it (exceptions above all): the base is built so, then the fields that
// the classes below declare are set. So is an exception that has it and fields, but says nothing of them in GetObjectData.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Runtime.Serialization;
using Pile.Primitives;

namespace Pile.Codecs;

/// <summary>Plan of an ISerializable class.</summary>
internal sealed class SerializablePlan : Plan
{
    private const BindingFlags Any = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;

    [ThreadStatic]
    private static SerializationInfo? _written;

    private readonly ConstructorInfo _constructor;
    private readonly ObjectFields? _fields;
    private readonly Callbacks? _callbacks;
    private readonly int _fixed;

    /// <param name="type">The class.</param>
    /// <param name="constructor">The serialization constructor, of the class or of its nearest base that has one.</param>
    /// <param name="mapped">The fields of an older version, instead of today's.</param>
    internal SerializablePlan(Type type, ConstructorInfo constructor, ObjectFields? mapped = null)
        : base(type, PlanKind.Serializable)
    {
        _constructor = constructor;
        _callbacks = Callbacks.Of(type, isByProtocol: true);
        if (constructor.DeclaringType != type || mapped is not null)
        {
            _fields = mapped ?? ObjectFields.Of(type, constructor.DeclaringType!);
            _fixed = _fields.Members.Count;
        }
    }

    internal override IReadOnlyList<PlanMember> Members => _fields?.Members ?? [];

    /// <summary>The constructor that builds objects of a class, or null when neither it nor a base has one.</summary>
    internal static ConstructorInfo? ConstructorOf(Type type)
    {
        for (Type? at = type; at is not null && typeof(ISerializable).IsAssignableFrom(at); at = at.BaseType)
        {
            if (at.GetConstructor(Any, [typeof(SerializationInfo), typeof(StreamingContext)]) is { } found && !LosesFields(type, at))
            {
                return found;
            }
        }

        return null;
    }

    /// <summary>Whether an exception of the program's has fields at a level, or between it and what gives the names and values, that are not among these:
    /// of F#, or made by the template of old, it has the constructor and no GetObjectData.</summary>
    private static bool LosesFields(Type type, Type level)
    {
        if (!typeof(Exception).IsAssignableFrom(type))
        {
            return false;
        }

        Type gives = type.GetInterfaceMap(typeof(ISerializable)).TargetMethods[0].DeclaringType!;
        for (Type at = level; at.IsSubclassOf(gives) && !TypeName.IsFramework(at); at = at.BaseType!)
        {
            if (TypeFields.Of(at, at.BaseType).Count > 0)
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Read as it was written: what is among the fields is not among the names and values, though today's GetObjectData gives it.</summary>
    internal override Plan MapFrom(TypeVersion version)
    {
        if (version.Schema.Kind != Kind)
        {
            return base.MapFrom(version);
        }

        ConstructorInfo constructor = ConstructorOf(version.Schema.Fields);
        return new SerializablePlan(Type, constructor, new MappedFields(version, Type, constructor.DeclaringType!, version.Schema.Fields));
    }

    /// <summary>The constructor of the nearest class above all that old fields are of, where today's would have to give those.</summary>
    private ConstructorInfo ConstructorOf(IReadOnlyList<SchemaField> old)
    {
        ConstructorInfo found = _constructor;
        for (Type? at = found.DeclaringType; at is not null && !TypeName.IsFramework(at); at = at.BaseType)
        {
            if (old.Any(field => MappedFields.IsNamed(at, field.Declaring)))
            {
                found = ConstructorOf(at.BaseType!) ?? found;
            }
        }

        return found;
    }

    internal override bool Drops(int index) => _fields?.Drops(index) == true;

    internal override int Count(object value)
    {
        SerializationInfo info = GetData(value);
        _written = info;
        return checked(_fixed + (2 * info.MemberCount));
    }

    internal override void WriteContent(GraphWriter writer, object value, int count)
    {
        // Count, which comes right before, asked the object already; it must not be asked twice.
        SerializationInfo info = _written ?? GetData(value);
        _written = null;
        if (_callbacks is not null)
        {
            writer.CallWhenWritten(this, value);
        }

        _fields?.Write(writer, value);
        int left = (count - _fixed) / 2;
        foreach (SerializationEntry entry in info)
        {
            writer.WriteString(entry.Name);
            writer.WriteAny(entry.Value);
            left--;
        }

        if (left != 0)
        {
            throw Refuse.Changed(Type);
        }
    }

    internal override object ReadContent(ref GraphReader reader, int count, object? hollow, int offset)
    {
        if (hollow is null)
        {
            hollow = MakeInstance();
            reader.Register(offset, hollow);
        }

        int elements = count - _fixed;
        if (elements < 0 || elements % 2 != 0)
        {
            Throw.CorruptedValueOf($"{count:N0} elements in a {TypeName.Display(Type)}", reader.Wire.Position);
        }

        _callbacks?.Deserializing(hollow);
        _fields?.Read(ref reader, hollow);
        var content = new (string Name, object? Value)[elements / 2];
        int[] dependencies = new int[content.Length];
        reader.Context.Charge((content.Length * 32L) + ReadCost.Object(256, count), offset);
        for (int index = 0; index < content.Length; index++)
        {
            string name = reader.ReadString() ?? throw GraphReader.WrongType(reader.Wire.Position, typeof(string));
            dependencies[index] = reader.Wire.Position;
            content[index] = (name, reader.ReadAny());
        }

        reader.Context.Pending.Add(new Pending(this, hollow, offset, content, dependencies));
        if (_callbacks is not null)
        {
            reader.Context.Callbacks.Add(new Called(this, hollow, offset));
        }

        return hollow;
    }

    internal override void Written(object value) => _callbacks!.Serialized(value);

    internal override void Completed(object value) => _callbacks!.Deserialized(value);

    internal override void Notify(object value) => _callbacks!.Notify(value);

#pragma warning disable SYSLIB0050, SYSLIB0051 // The protocol is obsolete for formatters that load types by name; this one does not.

    internal override void Complete(Pending pending)
    {
        var info = new SerializationInfo(Type, new FormatterConverter());
        bool isOwn = !TypeName.IsFramework(_constructor.DeclaringType!);
        bool isGiven = false;
        try
        {
            foreach ((string name, object? value) in ((string, object?)[])pending.Content!)
            {
                info.AddValue(name, value, value?.GetType() ?? typeof(object));
            }

            isGiven = true;
            _ = _constructor.Invoke(pending.Target, BindingFlags.DoNotWrapExceptions, null, [info, new StreamingContext(StreamingContextStates.Persistence)], null);
        }
        catch (Exception failure) when (isGiven && isOwn && KeyFailure.IsOne(failure))
        {
            // The program's own, which may want what an older version did not give. The bytes are not damaged.
            throw new PileTypeMismatchException(
                $"A {TypeName.Display(Type)} can't be built from its values: its constructor threw {TypeName.Display(failure.GetType())}: {failure.Message} " +
                "What was stored has the names that GetObjectData gave then. Let the constructor go without those that are new. Describe and ToJson read it.",
                inner: failure);
        }
        catch (Exception failure) when (failure is SerializationException or InvalidCastException or ArgumentException or FormatException or OverflowException)
        {
            throw new PileCorruptedException($"A stored value is damaged: a {TypeName.Display(Type)} can't be built from its values: {failure.Message}");
        }
    }

    protected override void Hold(object instance) => _callbacks?.Hold(instance);

    private SerializationInfo GetData(object value)
    {
        _callbacks?.Serializing(value);
        var info = new SerializationInfo(Type, new FormatterConverter());
        try
        {
            ((ISerializable)value).GetObjectData(info, new StreamingContext(StreamingContextStates.Persistence));
        }
        catch (PlatformNotSupportedException)
        {
            throw Refuse.AType(Type, value);
        }

        if (info.IsAssemblyNameSetExplicit || info.IsFullTypeNameSetExplicit || info.ObjectType != Type)
        {
            throw Refuse.AType(Type, value);
        }

        return info;
    }
#pragma warning restore SYSLIB0050, SYSLIB0051
}
