// One member of a contract: how its value is taken from an object and given to one. Properties by their accessors, fields by
// reflection; a property without a setter by its own field, where it has one or gives nothing but a field's value, and else it is only written.
// Delegates, so that values are not boxed on the way, but those of such properties, which wait until all others are set.
using System;
using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using System.Runtime.Serialization;

namespace Pile.Codecs;

/// <summary>A member of T.</summary>
internal abstract class ContractMember<T>(Type type, string name)
{
    private const BindingFlags Any = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic;

    /// <summary>Reads a member from an object, or the reference of a struct.</summary>
    private delegate TMember Get<TMember>(ref T target);

    /// <summary>Sets it.</summary>
    private delegate void Set<TMember>(ref T target, TMember value);

    /// <summary>The type of its values.</summary>
    internal Type Type { get; } = type;

    /// <summary>What messages call it.</summary>
    internal string Name { get; } = name;

    /// <summary>Whether it is read, and not only written.</summary>
    internal abstract bool IsRead { get; }

    internal abstract void Write(WireWriter writer, ref T target, int depth);

    /// <summary>Whether it is set once all others are: a property without a setter gives a field, to which the setters of others may add.</summary>
    internal abstract bool IsLate { get; }

    internal abstract void Read(ref ContractReader reader, ref T target);

    /// <summary>Reads the value of one that is set late.</summary>
    internal abstract object? ReadValue(ref ContractReader reader);

    /// <summary>Sets the field of one that is set late.</summary>
    internal abstract void SetLate(ref T target, object? value);

    internal static ContractMember<T> Of(MemberInfo member)
    {
        Type type = member is PropertyInfo property ? property.PropertyType : ((FieldInfo)member).FieldType;
        return (ContractMember<T>)Activator.CreateInstance(
            typeof(Typed<>).MakeGenericType(typeof(T), type), BindingFlags.Instance | BindingFlags.NonPublic | BindingFlags.DoNotWrapExceptions, null, [member], null)!;
    }

    private sealed class Typed<TMember> : ContractMember<T>
    {
        private readonly ContractPlace<TMember> _place = new();
        private readonly Get<TMember> _get;
        private readonly Set<TMember>? _set;

        internal Typed(MemberInfo member)
            : base(typeof(TMember), $"{TypeName.Display(typeof(T))}.{member.Name}, of type {TypeName.Display(typeof(TMember))} and Order {member.GetCustomAttribute<DataMemberAttribute>()!.Order}")
        {
            // As its own class has it: an heir does not see a setter that is private there.
            PropertyInfo? property = member is PropertyInfo seen ? seen.DeclaringType!.GetProperty(seen.Name, Any | BindingFlags.DeclaredOnly) : null;
            FieldInfo? field = member as FieldInfo ?? property!.DeclaringType!.GetField($"<{property.Name}>k__BackingField", Any) ?? FieldGivenBy(property.GetMethod!);
            _get = property is null ? (ref T target) => (TMember)field!.GetValue(target)! : Getter(property.GetMethod!);
            _set = property?.SetMethod is { } set ? Setter(set) : field is null ? null : (ref T target, TMember value) =>
            {
                object box = target!;
                field.SetValue(box, value);
                target = (T)box;
            };
            IsLate = property is { SetMethod: null } && _set is not null;
        }

        internal override bool IsRead => _set is not null;

        internal override bool IsLate { get; }

        internal override object? ReadValue(ref ContractReader reader) => _place.Formatter.Read(ref reader);

        internal override void SetLate(ref T target, object? value) => _set!(ref target, (TMember)value!);

        internal override void Write(WireWriter writer, ref T target, int depth) => _place.Formatter.Write(writer, _get(ref target), depth);

        internal override void Read(ref ContractReader reader, ref T target)
        {
            if (_set is null)
            {
                reader.Wire.Skip();
            }
            else
            {
                _set(ref target, _place.Formatter.Read(ref reader));
            }
        }

        /// <summary>The field whose value is all that a getter gives, as C#, F# and Visual Basic compile it with and without optimization; null where there is more to it.</summary>
        [UnconditionalSuppressMessage("Trimming", "IL2026", Justification = "A getter that was cut off is that of no member; where its code is not there it is taken for one with more to it.")]
        private static FieldInfo? FieldGivenBy(MethodInfo getter)
        {
            ReadOnlySpan<byte> code = getter.GetMethodBody()?.GetILAsByteArray();
            code = code is [0x00, ..] ? code[1..] : code;
            return code is [0x02, 0x7b, _, _, _, _, 0x2a] or [0x02, 0x7b, _, _, _, _, 0x2b, 0x00, 0x2a] or [0x02, 0x7b, _, _, _, _, 0x0a, 0x2b, 0x00, 0x06, 0x2a]
                && getter.Module.ResolveField(BinaryPrimitives.ReadInt32LittleEndian(code[2..]), getter.DeclaringType!.GetGenericArguments(), null) is { } field
                && field.FieldType == typeof(TMember) ? field : null;
        }

        private static Get<TMember> Getter(MethodInfo method)
        {
            if (typeof(T).IsValueType)
            {
                return method.CreateDelegate<Get<TMember>>();
            }

            Func<T, TMember> get = method.CreateDelegate<Func<T, TMember>>();
            return (ref T target) => get(target);
        }

        private static Set<TMember> Setter(MethodInfo method)
        {
            if (typeof(T).IsValueType)
            {
                return method.CreateDelegate<Set<TMember>>();
            }

            Action<T, TMember> set = method.CreateDelegate<Action<T, TMember>>();
            return (ref T target, TMember value) => set(target, value);
        }
    }
}
