// Objects with [DataContract] in a contract: an array whose element n is the member with [DataMember(Order = n)], nil where there is
// none. A longer array's rest is gone over, a shorter one leaves members as they are in an object that no constructor made.
// Members are public properties and fields; what is not marked is no part of the contract.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Serialization;

namespace Pile.Codecs;

/// <summary>A formatter of a class or struct with members by Order.</summary>
internal sealed class ContractObject<T> : ContractFormatter<T>
{
    private readonly ContractMember<T>?[] _members;

    internal ContractObject()
    {
        if (typeof(T).IsAbstract || typeof(T).ContainsGenericParameters)
        {
            throw new ArgumentException($"{TypeName.Display(typeof(T))} is abstract: a contract has no place for the name of another class.");
        }

        SortedDictionary<int, MemberInfo> byOrder = ContractObject.MembersOf(typeof(T));
        _members = new ContractMember<T>?[byOrder.Count == 0 ? 0 : byOrder.Keys.Last() + 1];
        foreach ((int order, MemberInfo member) in byOrder)
        {
            _members[order] = ContractMember<T>.Of(member);
        }

        if (byOrder.Count > 0 && !_members.OfType<ContractMember<T>>().Any(static member => member.IsRead))
        {
            throw new ArgumentException($"{TypeName.Display(typeof(T))} has no member that can be read ({string.Join(", ", byOrder.Values.Select(static member => member.Name))}): each is a property without a setter or a field. Give them setters, which may be private.");
        }
    }

    internal override IEnumerable<Type> Inner => _members.OfType<ContractMember<T>>().Select(static member => member.Type);

    internal override void Write(WireWriter writer, T value, int depth)
    {
        if (value is null)
        {
            writer.WriteNil();
            return;
        }

        if (value.GetType() != typeof(T))
        {
            throw ContractObject.Derived(typeof(T), value);
        }

        int inside = Deeper(depth, value);
        writer.WriteArrayHeader(_members.Length);
        foreach (ContractMember<T>? member in _members)
        {
            if (member is null)
            {
                writer.WriteNil();
            }
            else
            {
                member.Write(writer, ref value, inside);
            }
        }
    }

    internal override T Read(ref ContractReader reader)
    {
        if (!typeof(T).IsValueType && reader.Wire.TryReadNil())
        {
            return default!;
        }

        int count = reader.Wire.ReadArrayHeader();
        reader.Charge(ReadCost.Object(16 + (_members.Length * 16), count));
        reader.Enter();
        T value = typeof(T).IsValueType ? default! : (T)RuntimeHelpers.GetUninitializedObject(typeof(T));
        string? around = reader.Member;
        List<(ContractMember<T> Member, object? Value)>? late = null;
        for (int index = 0; index < count; index++)
        {
            if (index < _members.Length && _members[index] is { } member)
            {
                reader.Member = member.Name;
                if (member.IsLate)
                {
                    (late ??= []).Add((member, member.ReadValue(ref reader)));
                    continue;
                }

                member.Read(ref reader, ref value);
            }
            else
            {
                reader.Wire.Skip();
            }
        }

        for (int index = 0; index < late?.Count; index++)
        {
            late[index].Member.SetLate(ref value, late[index].Value);
        }

        reader.Member = around;
        reader.Leave();
        return value;
    }
}

/// <summary>What all contracts of objects have in common.</summary>
internal static class ContractObject
{
    private const BindingFlags Any = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic;

    /// <summary>The marked members of a type by their Order.</summary>
    /// <exception cref="ArgumentException">They make no array.</exception>
    internal static SortedDictionary<int, MemberInfo> MembersOf(Type type)
    {
        SortedDictionary<int, MemberInfo> byOrder = [];
        foreach (MemberInfo member in type.GetMembers(Any).Concat(PrivateOfBases(type)).Where(static member => member is PropertyInfo or FieldInfo))
        {
            if (member.GetCustomAttribute<DataMemberAttribute>() is not { } mark)
            {
                continue;
            }

            string name = $"{TypeName.Display(member.DeclaringType!)}.{member.Name}";
            bool isPublic = member is PropertyInfo property ? property.GetMethod is { IsPublic: true } && property.GetIndexParameters().Length == 0 : ((FieldInfo)member).IsPublic;
            if (!isPublic || mark.Order < 0 || mark.Order > CodecLimits.ContractOrderMax)
            {
                throw new ArgumentException(!isPublic
                    ? $"{name} is marked [DataMember] but has no public getter: others would leave it out."
                    : $"{name} has Order {mark.Order}: a contract by arrays wants [DataMember(Order = 0 to {CodecLimits.ContractOrderMax})] on each member.");
            }

            if (!byOrder.TryAdd(mark.Order, member))
            {
                throw new ArgumentException($"{name} and {byOrder[mark.Order].Name} have the same Order {mark.Order}: give each member its own.");
            }
        }

        return byOrder;
    }

    /// <summary>Members that a class has and does not see.</summary>
    private static IEnumerable<MemberInfo> PrivateOfBases(Type type)
    {
        for (Type? at = type.BaseType; at is not null; at = at.BaseType)
        {
            foreach (MemberInfo member in at.GetMembers(Any | BindingFlags.DeclaredOnly))
            {
                if (member is FieldInfo { IsPrivate: true } or PropertyInfo { GetMethod: null or { IsPrivate: true }, SetMethod: null or { IsPrivate: true } })
                {
                    yield return member;
                }
            }
        }
    }

    /// <summary>The exception for an object of another class than its place has.</summary>
    internal static PileRefusedException Derived(Type type, object value) => new(
        $"A {TypeName.Display(value.GetType())} stands where the contract has {TypeName.Display(type)}: it could not come back as what it is.", value, "");
}
